//! RGT: a difference between the reference and the patched version, and what it is worth.
//!
//! Pure judgement. An input was run in both versions; if they did the same there is nothing to say. If not, the
//! difference gets its class, and either it is evidence, which a witness may make proof, or it is a remark, with the
//! reason why nobody may rely on what differs. When in doubt it is a remark: to refute a correct patch is the worst that
//! can happen.

mod exceptions;
#[cfg(test)]
mod fixture;
mod flow;
mod noise;
mod numbers;
mod ordinary;
mod place;
mod policy;
mod promises;
mod reason;
mod scene;
#[cfg(test)]
mod tests;

use bonafix_lang::Behaviour;
use bonafix_model::{
    Access, Breakdown, Catalog, Difference, DifferenceClass, DifferenceKind, Element, Ending, Knowledge,
    Location, Observation, PromisedThrow, Sequence, Slot, Tolerance, compare,
};

pub use noise::{perturbed, within_noise};
pub use promises::promised_throws;
pub use reason::RemarkReason;

use exceptions::Exceptions;
use numbers::{Levelling, canonical_decimal};
use policy::Policy;
use scene::Scene;

/// The name of the technique.
pub const NAME: &str = "rgt";

/// The coarsest precision of tests that is taken for the program's own, in proportion. A test with `delta = 1` says
/// little about what other numbers may do.
const COARSEST_RELATIVE: f64 = 1e-3;
/// The same, for the distance of numbers near zero.
const COARSEST_ABSOLUTE: f64 = 1e-2;

/// How strict RGT is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RgtOptions {
    /// Count what is only a remark otherwise.
    pub strict: bool,
    /// How far apart floating point numbers may be at least; tests that compare more coarsely widen it.
    pub tolerance: Tolerance,
    /// Look only at what fails in the patched version and not in the other, which nobody takes for right.
    pub failures_only: bool,
}

impl Default for RgtOptions {
    fn default() -> Self {
        Self { strict: false, failures_only: false, tolerance: Tolerance { relative: 1e-9, absolute: 1e-9 } }
    }
}

impl RgtOptions {
    /// The tolerance for a program whose tests compare with a certain precision.
    pub fn tolerance_for(&self, knowledge: &Knowledge) -> Tolerance {
        let precision = knowledge.precision.unwrap_or(0.0).abs();
        Tolerance {
            relative: self.tolerance.relative.max(precision.min(COARSEST_RELATIVE)),
            absolute: self.tolerance.absolute.max(precision.min(COARSEST_ABSOLUTE)),
        }
    }
}

/// What one input says about a patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ruling {
    /// Nothing: both versions did the same, or neither came to an end.
    Same,
    /// The patched version does something else than it should.
    Evidence(Claim),
    /// It does something else, which does not count.
    Remark {
        /// Why not.
        reason: RemarkReason,
        /// What.
        claim: Claim,
    },
}

/// A difference between the reference and the patched version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// How RGT calls it.
    pub class: DifferenceClass,
    /// Where it shows, to be asserted; none if a version broke down.
    pub difference: Option<Difference>,
    /// What the reference does: a value for `assert`, else words that follow the input as a sentence.
    pub expected: String,
    /// What the patched version does.
    pub actual: String,
}

impl Claim {
    /// The claim in a sentence, with what is compared as source code, empty for the input as a whole, and with the name
    /// of the version that is taken for right.
    pub fn sentence(&self, what: &str, right: &str) -> String {
        let what = if what.is_empty() { "the input".to_owned() } else { format!("`{what}`") };
        let is = if self.class == DifferenceClass::Assert { "is " } else { "" };
        let (expected, actual) = cut(&self.expected, &self.actual);
        format!("{what} {is}{expected} in {right} and {actual} in the patched version")
    }
}

/// Two texts for one sentence: of long ones the part where they begin to differ.
fn cut(one: &str, other: &str) -> (String, String) {
    const LONGEST: usize = 240;
    const BEFORE: usize = 60;
    if one.chars().count().max(other.chars().count()) <= LONGEST {
        return (one.to_owned(), other.to_owned());
    }
    let common = one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count();
    let start = if common < LONGEST - BEFORE { 0 } else { common - BEFORE };
    let part = |text: &str| {
        let before = if start == 0 { "" } else { "…" };
        let shown: String = text.chars().skip(start).take(LONGEST).collect();
        let after = if text.chars().count() > start + LONGEST { "…" } else { "" };
        format!("{before}{shown}{after}")
    };
    (part(one), part(other))
}

/// Says what an input is worth that was run in the reference and in the patched version.
pub fn judge(
    input: &Sequence,
    catalog: &Catalog,
    knowledge: &Knowledge,
    reference: Behaviour<'_>,
    patched: Behaviour<'_>,
    options: &RgtOptions,
) -> Ruling {
    let finding = match (reference, patched) {
        (Behaviour::BrokeDown(_), Behaviour::BrokeDown(_)) => return Ruling::Same,
        (Behaviour::BrokeDown(breakdown), Behaviour::Observed(patched)) => {
            Finding::reference_broke_down(breakdown, patched)
        }
        (Behaviour::Observed(reference), Behaviour::BrokeDown(breakdown)) => {
            let scene = Scene::new(input, catalog, knowledge, reference);
            Finding::patched_broke_down(&Policy::new(&scene, options.failures_only), reference, breakdown)
        }
        (Behaviour::Observed(reference), Behaviour::Observed(patched)) => {
            let tolerance = options.tolerance_for(knowledge);
            let differences = Differences::between(reference, patched, &tolerance);
            if differences.all.is_empty() {
                return Ruling::Same;
            }
            let scene = Scene::new(input, catalog, knowledge, reference);
            let wanted = |class| !options.failures_only || is_failure(class);
            match differences.strongest(
                &Policy::new(&scene, options.failures_only),
                reference,
                patched,
                wanted,
            ) {
                Some(finding) => finding,
                None => return Ruling::Same,
            }
        }
    };
    finding.ruling(options.strict)
}

/// Does the patched version fail, and the other not?
fn is_failure(class: DifferenceClass) -> bool {
    matches!(class, DifferenceClass::Exc2 | DifferenceClass::Error | DifferenceClass::Timeout)
}

/// Is an exception part of what a call promises, by its documentation, its declaration or the tests?
pub(crate) fn is_promised(
    input: &Sequence,
    catalog: &Catalog,
    knowledge: &Knowledge,
    seen: &Observation,
    step: Slot,
) -> bool {
    let scene = Scene::new(input, catalog, knowledge, seen);
    let (Some(call), Some(thrown)) = (scene.call(step), seen.thrown_at(step)) else { return false };
    let provoked = |promised: &PromisedThrow| {
        promised.type_name == thrown.type_name && Some(&promised.thrown_by) == thrown.thrown_by.as_ref()
    };
    knowledge.promised.iter().any(provoked)
        || Exceptions::of(&scene).promise(call.callable, call.facts, &thrown.type_name).is_some()
}

/// A claim, and what speaks against it.
struct Finding {
    objection: Option<RemarkReason>,
    claim: Claim,
}

impl Finding {
    fn ruling(self, strict: bool) -> Ruling {
        match self.objection {
            None => Ruling::Evidence(self.claim),
            Some(reason) if strict && reason.is_difference() => Ruling::Evidence(self.claim),
            Some(reason) => Ruling::Remark { reason, claim: self.claim },
        }
    }

    fn reference_broke_down(breakdown: Breakdown, patched: &Observation) -> Self {
        let claim = Claim {
            class: class_of(breakdown),
            difference: None,
            expected: breakdown.to_string(),
            actual: ending_in_words(patched),
        };
        Self { objection: Some(RemarkReason::ReferenceBrokeDown), claim }
    }

    fn patched_broke_down(policy: &Policy<'_>, reference: &Observation, breakdown: Breakdown) -> Self {
        let claim = Claim {
            class: class_of(breakdown),
            difference: None,
            expected: ending_in_words(reference),
            actual: breakdown.to_string(),
        };
        Self { objection: policy.objection_to_breakdown(), claim }
    }
}

/// Where two observations differ, and where they still do when numbers that are equal for all who may rely on them are
/// made equal. The second decides what counts, the first is shown.
struct Differences {
    all: Vec<Difference>,
    counting: Vec<Difference>,
    /// Why the others do not count, where none does.
    levelled: RemarkReason,
}

impl Differences {
    fn between(reference: &Observation, patched: &Observation, tolerance: &Tolerance) -> Self {
        let after = |levelling: Levelling| {
            compare(&levelling.observation(reference), &levelling.observation(patched), tolerance)
        };
        let all = compare(reference, patched, tolerance);
        if all.is_empty() {
            return Self { all, counting: Vec::new(), levelled: RemarkReason::Rounding };
        }
        let counting = after(Levelling { zeros: true, scales: true });
        let rounding = counting.is_empty() && after(Levelling { zeros: true, scales: false }).is_empty();
        let levelled = if rounding { RemarkReason::Rounding } else { RemarkReason::BigDecimalScale };
        Self { all, counting, levelled }
    }

    /// Evidence if there is any, else the strongest remark; among equals the one that is told most easily.
    fn strongest(
        &self,
        policy: &Policy<'_>,
        reference: &Observation,
        patched: &Observation,
        wanted: impl Fn(DifferenceClass) -> bool,
    ) -> Option<Finding> {
        let wanted = |seen: &&Difference| wanted(policy.class(seen, patched));
        let counting = self.counting.iter().filter(wanted).map(|counted| {
            let objection = policy.objection(counted, patched);
            // An objection sorts behind none.
            (objection, tellability(counted), counted)
        });
        let levelled = self.all.iter().filter(|_| self.counting.is_empty()).filter(wanted);
        let levelled = levelled.map(|seen| (Some(self.levelled), tellability(seen), seen));
        let (objection, _, difference) =
            counting.chain(levelled).min_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)))?;
        let difference = if self.counting.is_empty() { difference } else { self.as_seen(difference) };
        let class = policy.class(difference, patched);
        Some(Finding { objection, claim: claim(class, difference, reference, patched) })
    }

    /// The difference as it was before numbers were made equal.
    fn as_seen<'a>(&'a self, counted: &'a Difference) -> &'a Difference {
        let place = levelled_location(&counted.location);
        let twin =
            |seen: &&Difference| seen.kind == counted.kind && levelled_location(&seen.location) == place;
        self.all.iter().find(twin).unwrap_or(counted)
    }
}

/// A location as it is after [`Levelling`]: elements and keys are named by what is seen of them.
fn levelled_location(location: &Location) -> Location {
    let level = |text: &String| canonical_decimal(text).unwrap_or_else(|| text.clone());
    let path = location.path.iter().map(|access| match access {
        Access::Element(text) => Access::Element(level(text)),
        Access::Key(text) => Access::Key(level(text)),
        other => other.clone(),
    });
    Location { path: path.collect(), ..location.clone() }
}

/// Smaller is easier to tell: what a call returns or throws before what it does to objects, short ways before long ones,
/// early calls before late ones.
fn tellability(difference: &Difference) -> (u8, bool, usize, Slot, Location) {
    let location = &difference.location;
    let element = match location.element {
        Element::Return => 0,
        Element::Exception => 1,
        Element::Receiver => 2,
        Element::Argument(_) => 3,
        Element::Statics => 4,
    };
    (element, location.is_internal(), location.path.len(), location.step, location.clone())
}

fn claim(
    class: DifferenceClass,
    difference: &Difference,
    reference: &Observation,
    patched: &Observation,
) -> Claim {
    let step = difference.location.step;
    let (expected, actual) = match difference.kind {
        DifferenceKind::OnlyLeftThrew => (throws_at(reference, step), does_at(patched, step)),
        DifferenceKind::OnlyRightThrew => (does_at(reference, step), throws_at(patched, step)),
        DifferenceKind::ExceptionType => (throws_at(reference, step), throws_at(patched, step)),
        DifferenceKind::ExceptionPlace => {
            let from = |place: &Option<String>| match place {
                Some(place) => format!("throws from {place}"),
                None => "throws from a library".to_owned(),
            };
            (from(&difference.left), from(&difference.right))
        }
        _ => {
            let shown = |side: &Option<String>| side.clone().unwrap_or_else(|| "nothing".to_owned());
            (shown(&difference.left), shown(&difference.right))
        }
    };
    Claim { class, difference: Some(difference.clone()), expected, actual }
}

fn throws_at(observation: &Observation, step: Slot) -> String {
    match observation.thrown_at(step) {
        Some(exception) => format!("throws {exception}"),
        None => throws(observation),
    }
}

fn throws(observation: &Observation) -> String {
    format!("throws {}", observation.ending)
}

/// What a version did at a step at which it did not throw.
fn does_at(observation: &Observation, step: Slot) -> String {
    match place::result(observation, step) {
        Some(value) => format!("returns {value}"),
        None => "completes".to_owned(),
    }
}

fn ending_in_words(observation: &Observation) -> String {
    match &observation.ending {
        Ending::Completed => "completes".to_owned(),
        Ending::Threw { .. } => throws(observation),
        other => format!("ends with: {other}"),
    }
}

fn class_of(breakdown: Breakdown) -> DifferenceClass {
    match breakdown {
        Breakdown::Timeout => DifferenceClass::Timeout,
        Breakdown::Exit(_) | Breakdown::Crash | Breakdown::OutOfMemory => DifferenceClass::Error,
    }
}
