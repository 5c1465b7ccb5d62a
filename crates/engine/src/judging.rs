//! All patches of a run, some of them at the same time.
//!
//! Inputs that were worth something for one patch are run first on further ones. So that the number of jobs changes nothing
//! but the time, patches come in waves: those of one wave know the inputs of earlier waves and not of each other.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use bonafix_judge::patch_sim::Options as SimOptions;
use bonafix_lang::LangError;
use bonafix_model::{Budget, InputSet};
use camino::Utf8PathBuf;

/// Patches of one wave, after the first, which consists of one patch.
const WAVE: usize = 4;

/// A way to judge a plausible patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Technique {
    /// Differences from the reference.
    Rgt,
    /// Failures that the buggy version does not have.
    NewFailures,
    /// How alike executions on the buggy and on the patched version are.
    PatchSim,
    /// What several patches agree on, against one that does not.
    Agreement,
    /// Crashes and errors of memory that the buggy version does not have.
    Opad,
}

impl Technique {
    /// The name in reports and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rgt => bonafix_judge::rgt::NAME,
            Self::NewFailures => bonafix_judge::new_failures::NAME,
            Self::PatchSim => bonafix_judge::patch_sim::NAME,
            Self::Agreement => bonafix_judge::agreement::NAME,
            Self::Opad => bonafix_judge::opad::NAME,
        }
    }

    /// Does it judge programs that read bytes, or else functions that are called?
    pub(crate) fn fits(self, means: Means) -> bool {
        match self {
            Self::Rgt | Self::PatchSim => true,
            Self::Opad => means.reads_bytes,
            Self::NewFailures | Self::Agreement => !means.reads_bytes,
        }
    }
}

/// What there is to judge with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Means {
    /// Somebody says what is right.
    pub(crate) has_reference: bool,
    /// Whole programs are run on bytes; functions are called otherwise.
    pub(crate) reads_bytes: bool,
}

/// How plausible patches are judged.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgingOptions {
    /// Which techniques judge; by default RGT with a reference, and all others without. Of programs that read bytes Opad
    /// judges in either case.
    pub techniques: Option<Vec<Technique>>,
    /// What the search for counterexamples may cost for each patch.
    pub budget: Budget,
    /// Where chance begins.
    pub seed: u64,
    /// Differences count that are only remarks otherwise.
    pub strict: bool,
    /// Opad goes on to the end of the budget, and measures all that there is.
    pub full: bool,
    /// Heap of the virtual machine that runs the inputs.
    pub heap_mib: u32,
    /// How PATCH-SIM decides.
    pub similarity: SimOptions,
    /// Tests that PATCH-SIM makes.
    pub generated_tests: usize,
    /// Each of them runs otherwise inside of the change.
    pub varied_tests: bool,
    /// Variations of failing tests that it makes beside them.
    pub failing_variants: usize,
    /// Patches judged at the same time.
    pub jobs: usize,
    /// Inputs to run first.
    pub inputs_from: Option<Utf8PathBuf>,
    /// Where to write the inputs worth keeping.
    pub inputs_to: Option<Utf8PathBuf>,
}

impl JudgingOptions {
    /// Does a technique judge with what there is?
    pub(crate) fn wants(&self, technique: Technique, means: Means) -> bool {
        match &self.techniques {
            // Without a reference there is nothing to differ from.
            _ if technique == Technique::Rgt && !means.has_reference => false,
            _ if !technique.fits(means) => false,
            None => technique == Technique::Opad || (technique == Technique::Rgt) == means.has_reference,
            Some(chosen) => chosen.contains(&technique),
        }
    }

    /// The first of the chosen techniques that cannot judge such programs.
    pub(crate) fn unfit(&self, means: Means) -> Option<Technique> {
        self.techniques.iter().flatten().copied().find(|technique| !technique.fits(means))
    }
}

/// When a budget that began then is used up; never with a number of inputs.
pub(crate) fn deadline(budget: Budget, began: Instant) -> Option<Instant> {
    match budget {
        Budget::Time(time) => began.checked_add(time),
        Budget::Inputs(_) => None,
    }
}

/// Runs `work` for each of `count` patches, in waves; results in the order of the patches.
///
/// `work` gets the number of its patch and the inputs that earlier waves have kept.
pub(crate) fn in_waves<T: Send>(
    count: usize,
    jobs: usize,
    mut kept: Vec<InputSet>,
    work: impl Fn(usize, &[InputSet]) -> Result<(T, Option<InputSet>), LangError> + Sync,
) -> Result<(Vec<T>, Vec<InputSet>), LangError> {
    let mut results = Vec::with_capacity(count);
    while results.len() < count {
        let first = results.len();
        let size = if first == 0 { 1 } else { WAVE.min(count - first) };
        let wave = side_by_side(size, jobs, |number| work(first + number, &kept))?;
        for (result, inputs) in wave {
            results.push(result);
            kept.extend(inputs);
        }
    }
    Ok((results, kept))
}

/// Runs `work` for each number below `size`, `jobs` at a time; the first error in order wins.
fn side_by_side<T: Send>(
    size: usize,
    jobs: usize,
    work: impl Fn(usize) -> Result<T, LangError> + Sync,
) -> Result<Vec<T>, LangError> {
    if jobs <= 1 || size <= 1 {
        return (0..size).map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let slots: Vec<Mutex<Option<Result<T, LangError>>>> = (0..size).map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        for _ in 0..jobs.min(size) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(slot) = slots.get(number) else { return };
                    let result = work(number);
                    *slot.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(result);
                }
            });
        }
    });
    let missing = || Err(LangError::Internal("a patch was not judged".to_owned()));
    slots
        .into_iter()
        .map(|slot| {
            slot.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).unwrap_or_else(missing)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(number: usize) -> InputSet {
        InputSet { format: u32::try_from(number).unwrap_or_default(), ..InputSet::default() }
    }

    fn seen(jobs: usize) -> Vec<Vec<u32>> {
        let work = |number: usize, kept: &[InputSet]| {
            Ok((kept.iter().map(|set| set.format).collect::<Vec<_>>(), Some(set(number))))
        };
        in_waves(7, jobs, Vec::new(), work).map(|(results, _)| results).unwrap_or_default()
    }

    #[test]
    fn a_patch_knows_the_inputs_of_earlier_waves_whatever_the_number_of_jobs() {
        let expected =
            vec![vec![], vec![0], vec![0], vec![0], vec![0], vec![0, 1, 2, 3, 4], vec![0, 1, 2, 3, 4]];
        assert_eq!(seen(1), expected);
        assert_eq!(seen(3), expected);
    }

    const ALL: [Technique; 5] =
        [Technique::Rgt, Technique::NewFailures, Technique::PatchSim, Technique::Agreement, Technique::Opad];

    fn wanted(techniques: Option<Vec<Technique>>, has_reference: bool, reads_bytes: bool) -> Vec<Technique> {
        let options = JudgingOptions { techniques, ..crate::testing::judging_options() };
        let means = Means { has_reference, reads_bytes };
        ALL.into_iter().filter(|technique| options.wants(*technique, means)).collect()
    }

    #[test]
    fn which_techniques_judge_hangs_on_the_reference_and_on_what_is_run() {
        use Technique::{Agreement, NewFailures, Opad, PatchSim, Rgt};
        assert_eq!(wanted(None, true, false), [Rgt]);
        assert_eq!(wanted(None, false, false), [NewFailures, PatchSim, Agreement]);
        assert_eq!(wanted(None, true, true), [Rgt, Opad]);
        assert_eq!(wanted(None, false, true), [PatchSim, Opad]);
        assert_eq!(wanted(Some(vec![PatchSim]), true, true), [PatchSim]);
        assert_eq!(wanted(Some(vec![Rgt]), true, true), [Rgt]);
        assert_eq!(wanted(Some(Vec::new()), true, true), []);
    }

    #[test]
    fn a_technique_that_cannot_judge_such_programs_is_known() {
        let unfit = |chosen, reads_bytes| {
            let options =
                JudgingOptions { techniques: Some(vec![chosen]), ..crate::testing::judging_options() };
            options.unfit(Means { has_reference: true, reads_bytes })
        };
        assert_eq!(unfit(Technique::Agreement, true), Some(Technique::Agreement));
        assert_eq!(unfit(Technique::PatchSim, true), None);
        assert_eq!(unfit(Technique::Opad, false), Some(Technique::Opad));
        assert_eq!(unfit(Technique::Rgt, true), None);
    }

    #[test]
    fn the_first_error_in_order_ends_the_run() {
        let work = |number: usize, _: &[InputSet]| {
            if number >= 2 { Err(LangError::Internal(number.to_string())) } else { Ok(((), None)) }
        };
        let error = in_waves(5, 4, Vec::new(), work).unwrap_err();
        assert_eq!(error.to_string(), "2");
    }
}
