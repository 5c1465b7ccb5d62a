//! Campaigns: versions of a program in which a fuzzer looks for inputs that tell them apart.
//!
//! | module | one line |
//! |---|---|
//! | `seeds` | the inputs of the developers' tests |
//! | `dictionary` | constants of the changed functions |
//! | `region` | which edges lie in changed code |
//! | `text`, `mutator` | make inputs of inputs, by chance |
//! | `neighbours` | make inputs of inputs, one after the other |
//! | `arena` | runs an input in the versions, and tells what was new about it |
//! | `behaviour` | how two executions differ |
//! | `fuzzer` | LibAFL around all that |
//! | `worker` | the thread in which it runs |

mod arena;
mod behaviour;
mod dictionary;
mod fuzzer;
mod mutator;
mod neighbours;
mod region;
mod seeds;
mod text;
mod worker;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use bonafix_lang::{
    Campaign, Found, Fuzz, FuzzRequest, FuzzSlice, FuzzState, LangError, OpenedCampaign, ProgramDraft,
    Tested, Tracer, Watch, WitnessError, WrittenWitness,
};
use bonafix_model::{Execution, Frame, Notice, ProgramEnd, ProgramInput, TreeChange};
use camino::{Utf8Path, Utf8PathBuf};

use self::arena::{Arena, Targets};
use self::dictionary::Dictionary;
use self::fuzzer::Start;
use self::region::Region;
use self::seeds::Seeds;
use self::worker::Worker;
use crate::project::CProject;
use crate::serve::ServedTarget;
use crate::target::{Sample, Target};
use crate::trace::CTracer;
use crate::variant::Variant;
use crate::watch::WatchedProgram;

/// On so many seeds it is tried whether a version can run many inputs in one process.
const TRIED: usize = 8;
/// In the search an input has this part of its time, and with sanitizers that part, but never less than so much: most of those
/// that take longer have no end, and what is seen in less is seen again with all the time.
const PART_OF_TIME: u32 = 5;
const PART_WITH_SANITIZERS: u32 = 2;
const LEAST_TIME: Duration = Duration::from_millis(200);
/// Comparisons of outputs that are remembered, and how long the two may be.
const COMPARED: usize = 1000;
const LONGEST_COMPARED: usize = 4096;

/// Versions of a C program in which a fuzzer runs.
struct CCampaign<'a> {
    project: &'a CProject,
    worker: Worker,
    /// What each version consists of.
    changes: Vec<TreeChange>,
    watches: Vec<Watch>,
    limit: Duration,
    log: Utf8PathBuf,
    /// For single executions, by version; made when they are first asked for.
    single: BTreeMap<(u32, Watch), WatchedProgram>,
    /// With which the version that is taken for right ends on inputs of tests.
    codes: BTreeSet<i32>,
    /// What the tests' own comparison said of two outputs: making an input smaller meets the same ones many times.
    compared: HashMap<(Vec<u8>, Vec<u8>), bool>,
}

impl Campaign for CCampaign<'_> {
    fn fuzz(&mut self, slice: &FuzzSlice) -> Result<Vec<Found>, LangError> {
        self.worker.fuzz(slice)
    }

    fn state(&self) -> FuzzState {
        self.worker.state()
    }

    fn corpus(&self) -> Vec<ProgramInput> {
        self.worker.corpus()
    }

    fn execute(&mut self, input: &ProgramInput, version: u32, watch: Watch) -> Result<Execution, LangError> {
        self.single(version, watch)?.execute(input)
    }

    fn glance(&mut self, input: &ProgramInput, version: u32) -> Result<Execution, LangError> {
        self.worker.glance(input, version)
    }

    fn takes_for_same(&mut self, expected: &[u8], actual: &[u8]) -> Result<bool, LangError> {
        let project = self.project;
        let Some(command) = &project.suite().config.compare else { return Ok(expected == actual) };
        let outputs = (expected.to_vec(), actual.to_vec());
        if let Some(&known) = self.compared.get(&outputs) {
            return Ok(known);
        }
        let same = self.single(0, Watch::Plain)?.takes_for_same(command, expected, actual)?;
        if self.compared.len() < COMPARED && expected.len() + actual.len() < LONGEST_COMPARED {
            self.compared.insert(outputs, same);
        }
        Ok(same)
    }

    fn usual_codes(&self) -> BTreeSet<i32> {
        self.codes.clone()
    }

    fn watches(&self) -> Vec<Watch> {
        self.watches.clone()
    }
}

impl CCampaign<'_> {
    /// A version for single executions.
    fn single(&mut self, version: u32, watch: Watch) -> Result<&mut WatchedProgram, LangError> {
        let change = self
            .changes
            .get(version as usize)
            .ok_or_else(|| LangError::Internal(format!("there is no version {version}")))?;
        Ok(match self.single.entry((version, watch)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(self.project.watched(change, watch, self.limit, &self.log)?),
        })
    }
}

impl Fuzz for CProject {
    fn tested(&self) -> Tested {
        self.what_is_tested()
    }

    fn open<'a>(
        &'a self,
        request: &FuzzRequest<'_>,
        log: &Utf8Path,
    ) -> Result<OpenedCampaign<'a>, LangError> {
        let (mut watches, mut notices) = self.watches(log)?;
        let seeds = self.seeds(request)?;
        notices.extend(seeds.notices);
        let tried = &seeds.inputs[..seeds.inputs.len().min(TRIED)];
        let mut targets = self.targets(request, tried, log, &mut watches, &mut notices)?;
        let codes = codes(targets.plain[0].as_mut(), &seeds.scripted)?;
        let start = Start {
            inputs: request.kept.iter().cloned().chain(seeds.inputs).collect(),
            kept: request.kept.len(),
            dictionary: Dictionary::of(self.root(), request.versions),
            seed: request.seed,
        };
        let worker = Worker::start(
            Arena::new(targets, Region::of(request.versions), self.suite().errors.is_some()),
            start,
        )?;
        let campaign = Box::new(CCampaign {
            project: self,
            worker,
            changes: request.versions.iter().map(|version| version.change.clone()).collect(),
            watches,
            limit: request.limit,
            log: log.to_owned(),
            single: BTreeMap::new(),
            codes,
            compared: HashMap::new(),
        });
        Ok(OpenedCampaign { campaign, notices })
    }

    fn tracer<'a>(
        &'a self,
        request: &FuzzRequest<'_>,
        log: &Utf8Path,
    ) -> Result<Box<dyn Tracer<ProgramInput> + 'a>, LangError> {
        Ok(Box::new(CTracer::open(self, request, log)?))
    }

    fn write_witness(
        &self,
        draft: &ProgramDraft<'_>,
        folder: &Utf8Path,
        log: &Utf8Path,
    ) -> Result<WrittenWitness, WitnessError> {
        self.make_witness(draft, folder, log)
    }
}

impl CProject {
    /// Inputs of the tests, those of failing ones first.
    fn seeds(&self, request: &FuzzRequest<'_>) -> Result<Seeds, LangError> {
        let originals = self.test_files(&TreeChange::default())?;
        Ok(Seeds::read(self.suite(), &originals, request.failing.iter().chain(request.passing))?)
    }

    /// A version that runs inputs in one process if it can.
    fn fast(
        &self,
        change: &TreeChange,
        variant: Variant,
        limit: Duration,
        seeds: &[ProgramInput],
        log: &Utf8Path,
    ) -> Result<ServedTarget, LangError> {
        let mut target = self.target(change, variant, limit, log)?;
        target.try_persistent(seeds)?;
        Ok(target)
    }

    /// How long inputs may take in the search, plain and with sanitizers: all the time if the tests' own need it.
    fn haste(
        &self,
        request: &FuzzRequest<'_>,
        seeds: &[ProgramInput],
        log: &Utf8Path,
    ) -> Result<(Duration, Duration), LangError> {
        let part_of = |part: u32| (request.limit / part).max(LEAST_TIME).min(request.limit);
        let short = part_of(PART_OF_TIME);
        let Some(right) = request.versions.first() else { return Ok((request.limit, request.limit)) };
        let mut target = self.target(right.change, Variant::Plain, short, log)?;
        for seed in seeds {
            if target.run(seed)?.execution.end == ProgramEnd::TimedOut {
                return Ok((request.limit, request.limit));
            }
        }
        Ok((short, part_of(PART_WITH_SANITIZERS)))
    }

    /// All versions, ready to run.
    fn targets(
        &self,
        request: &FuzzRequest<'_>,
        seeds: &[ProgramInput],
        log: &Utf8Path,
        watches: &mut Vec<Watch>,
        notices: &mut Vec<Notice>,
    ) -> Result<Targets, LangError> {
        let changes: Vec<&TreeChange> = request.versions.iter().map(|version| version.change).collect();
        let (limit, limit_with_sanitizers) = self.haste(request, seeds, log)?;
        let mut plain: Vec<Box<dyn Target>> = Vec::new();
        for change in &changes {
            plain.push(Box::new(self.fast(change, Variant::Plain, limit, seeds, log)?));
        }
        if watches.contains(&Watch::Sanitizers) {
            match each(&changes, |change| self.fast(change, Variant::Fuzz, limit_with_sanitizers, seeds, log))
            {
                Ok(fuzz) => return Ok(Targets { plain, fuzz, slow: Vec::new() }),
                Err(error @ (LangError::DoesNotCompile { .. } | LangError::BuildTool { .. })) => {
                    watches.retain(|&watch| watch != Watch::Sanitizers);
                    notices.push(without_sanitizers(&error));
                }
                Err(other) => return Err(other),
            }
        }
        let slow = if watches.contains(&Watch::Valgrind) {
            each(&changes, |change| {
                self.watched(change, Watch::Valgrind, request.limit, log).map(UnderValgrind)
            })?
        } else {
            Vec::new()
        };
        Ok(Targets { plain, fuzz: Vec::new(), slow })
    }
}

/// Exit codes other than 0 with which a version ends on these inputs.
fn codes(target: &mut dyn Target, inputs: &[ProgramInput]) -> Result<BTreeSet<i32>, LangError> {
    let mut codes = BTreeSet::new();
    for input in inputs {
        if let ProgramEnd::Exited(code) = target.run_fresh(input)?.execution.end {
            codes.extend((code != 0).then_some(code));
        }
    }
    Ok(codes)
}

/// Each version, opened the same way.
fn each<T: Target + 'static>(
    changes: &[&TreeChange],
    open: impl Fn(&TreeChange) -> Result<T, LangError>,
) -> Result<Vec<Option<Box<dyn Target>>>, LangError> {
    changes.iter().map(|change| Ok(Some(Box::new(open(change)?) as Box<dyn Target>))).collect()
}

/// A version under valgrind, for what is kept where nothing faster watches.
struct UnderValgrind(WatchedProgram);

impl Target for UnderValgrind {
    fn run_all(&mut self, inputs: &[ProgramInput]) -> Result<Vec<Sample>, LangError> {
        let samples = inputs.iter().map(|input| {
            let execution = self.0.execute(input)?;
            Ok(Sample { execution, coverage: Vec::new(), comparisons: Vec::new() })
        });
        samples.collect()
    }

    fn places(&self) -> &[Option<Frame>] {
        &[]
    }
}

fn without_sanitizers(error: &LangError) -> Notice {
    let text = format!(
        "a version cannot be built with sanitizers ({error}), so inputs are made without knowing what they reach, and \
         faults of memory are looked for by valgrind alone"
    );
    Notice::new("no-sanitizers", text)
}
