//! What a difference is worth: evidence, or a remark for a reason.

use std::cell::OnceCell;

use bonafix_model::{
    Access, Callable, CallableKind, CollectionKind, Difference, DifferenceClass, DifferenceKind, Element,
    Ending, Observation, Slot, Value, Visibility,
};

use super::exceptions::Exceptions;
use super::numbers::texts_differ_by_rounding;
use super::ordinary::{Oddity, oddities};
use super::place;
use super::promises::is_expected_by_tests;
use super::reason::RemarkReason;
use super::scene::{Call, Scene};

/// An input on which both versions were seen to come to an end, and what is odd about it.
pub(super) struct Policy<'a> {
    scene: &'a Scene<'a>,
    /// Nobody says what is right for the input.
    unanswered: bool,
    /// Worked out when first asked for: most differences do not count whatever the input is.
    oddities: OnceCell<Vec<Oddity>>,
}

/// What speaks against a difference; nothing does if it is evidence.
type Objection = Option<RemarkReason>;

impl<'a> Policy<'a> {
    pub(super) fn new(scene: &'a Scene<'a>, unanswered: bool) -> Self {
        Self { scene, unanswered, oddities: OnceCell::new() }
    }

    /// How RGT calls a difference.
    pub(super) fn class(&self, difference: &Difference, patched: &Observation) -> DifferenceClass {
        match difference.kind {
            DifferenceKind::OnlyLeftThrew => DifferenceClass::Exc1,
            DifferenceKind::OnlyRightThrew => {
                let exceptions = Exceptions::of(self.scene);
                let is_error = thrown(patched, difference.location.step)
                    .is_some_and(|type_name| exceptions.is_error(type_name));
                if is_error { DifferenceClass::Error } else { DifferenceClass::Exc2 }
            }
            DifferenceKind::ExceptionType => DifferenceClass::ExcType,
            DifferenceKind::ExceptionPlace => DifferenceClass::ExcLoc,
            _ => DifferenceClass::Assert,
        }
    }

    /// Why a difference does not count, if it does not.
    pub(super) fn objection(&self, difference: &Difference, patched: &Observation) -> Objection {
        match difference.kind {
            DifferenceKind::Unavailable => return Some(RemarkReason::Unavailable),
            DifferenceKind::Unfit => return Some(RemarkReason::Unfit),
            DifferenceKind::Shape => return Some(RemarkReason::Shape),
            _ => {}
        }
        let Some(call) = self.scene.call(difference.location.step) else { return Some(RemarkReason::Unfit) };
        if !self.scene.runs_subject(call) {
            return Some(RemarkReason::LibraryCall);
        }
        match difference.kind {
            DifferenceKind::ExceptionMessage => Some(RemarkReason::ExceptionMessage),
            DifferenceKind::ExceptionPlace => Some(RemarkReason::ExceptionPlace),
            DifferenceKind::Rounding if !self.is_internal(difference) => Some(RemarkReason::Rounding),
            DifferenceKind::OnlyLeftThrew => self.reference_throws(call),
            DifferenceKind::ExceptionType => self.both_throw(call, thrown(patched, call.step)),
            DifferenceKind::OnlyRightThrew => self.patched_throws(call, patched),
            _ => self.values(difference, call, patched).or_else(|| self.odd_until(call.step)),
        }
    }

    /// Why it does not count that the patched version does not come to an end where the reference does. The call that
    /// broke down is not known, so all of them must be in order.
    pub(super) fn objection_to_breakdown(&self) -> Objection {
        match &self.scene.reference.ending {
            Ending::Completed => self.odd_until(Slot::MAX),
            Ending::Threw { step, .. } => match self.scene.call(*step) {
                Some(call) => self.reference_throws(call).or_else(|| self.odd_until(Slot::MAX)),
                None => Some(RemarkReason::Unfit),
            },
            Ending::Unavailable { .. } => Some(RemarkReason::Unavailable),
            Ending::NullReceiver { .. } | Ending::Mismatch { .. } => Some(RemarkReason::Unfit),
        }
    }

    fn oddities(&self) -> &[Oddity] {
        self.oddities.get_or_init(|| oddities(self.scene, self.unanswered))
    }

    /// What is oddest up to a step. A call that rejects its input must have promised to; then odd numbers and lists
    /// are what the promise is for.
    fn odd_until(&self, step: Slot) -> Objection {
        let rejecting: Vec<Slot> =
            self.scene.reference.throwing_steps().filter(|throwing| *throwing <= step).collect();
        let unpromised = rejecting.iter().any(|throwing| !self.is_promised(*throwing));
        let rejected = |odd: &Oddity| {
            rejecting.contains(&odd.step)
                && matches!(
                    odd.reason,
                    RemarkReason::UnusualSign
                        | RemarkReason::Unsorted
                        | RemarkReason::Repeated
                        | RemarkReason::ExtremeNumber
                )
        };
        let left = self.oddities().iter().filter(|odd| odd.step <= step && !rejected(odd));
        let rejects = unpromised.then_some(RemarkReason::ReferenceRejects);
        left.map(|odd| odd.reason).chain(rejects).min()
    }

    /// Is what the reference throws at a step part of what is called there?
    fn is_promised(&self, step: Slot) -> bool {
        let (Some(call), Some(expected)) = (self.scene.call(step), thrown(self.scene.reference, step)) else {
            return false;
        };
        let exceptions = Exceptions::of(self.scene);
        let documented = exceptions.promise(call.callable, call.facts, expected).is_some()
            && !exceptions.is_promised_by_tests_only(call.callable, call.facts, expected);
        documented || is_expected_by_tests(self.scene, step)
    }

    fn reference_throws(&self, call: Call<'_>) -> Objection {
        if thrown(self.scene.reference, call.step).is_none() {
            return Some(RemarkReason::Unfit);
        }
        if !self.is_promised(call.step) {
            return Some(RemarkReason::ReferenceRejects);
        }
        self.odd_until(call.step)
    }

    fn both_throw(&self, call: Call<'_>, actual: Option<&str>) -> Objection {
        let exceptions = Exceptions::of(self.scene);
        let (Some(expected), Some(actual)) = (thrown(self.scene.reference, call.step), actual) else {
            return Some(RemarkReason::Unfit);
        };
        if exceptions.is_linkage(actual) {
            return Some(RemarkReason::LinkageError);
        }
        let promise = exceptions.promise(call.callable, call.facts, expected);
        let Some(promise) = promise.filter(|_| self.is_promised(call.step)) else {
            return Some(RemarkReason::ReferenceRejects);
        };
        // Only what is promised of the first can be asked of the second.
        let specific = exceptions.promise(call.callable, call.facts, actual);
        if exceptions.covers(promise, actual) && specific == Some(promise) {
            return Some(RemarkReason::DocumentedAlike);
        }
        self.odd_until(call.step)
    }

    fn patched_throws(&self, call: Call<'_>, patched: &Observation) -> Objection {
        let linkage = thrown(patched, call.step)
            .is_some_and(|type_name| Exceptions::of(self.scene).is_linkage(type_name));
        if linkage { Some(RemarkReason::LinkageError) } else { self.odd_until(call.step) }
    }

    fn values(&self, difference: &Difference, call: Call<'_>, patched: &Observation) -> Objection {
        if self.is_wording(difference) {
            return Some(RemarkReason::ExceptionMessage);
        }
        if self.is_internal(difference) {
            return Some(RemarkReason::InternalState);
        }
        let location = &difference.location;
        let returned = location.element == Element::Return && location.path.is_empty();
        let callable = call.callable;
        if returned && callable.name == "hashCode" && callable.parameters.is_empty() {
            return Some(RemarkReason::HashCode);
        }
        if let Some(reason) = self.asked_exception(call) {
            return Some(reason);
        }
        let expected = place::value_at(self.scene.reference, location)?;
        let actual = place::value_at(patched, location)?;
        let compares =
            matches!((callable.name.as_str(), callable.parameters.len()), ("compareTo", 1) | ("compare", 2));
        match (&expected, &actual) {
            (Value::Int(one), Value::Int(other))
                if returned && compares && one.signum() == other.signum() =>
            {
                Some(RemarkReason::ComparisonSign)
            }
            (Value::Text(one), Value::Text(other)) if texts_differ_by_rounding(one, other) => {
                Some(RemarkReason::Rounding)
            }
            _ if differ_in_class_only(&expected, &actual) => Some(RemarkReason::ImplementationClass),
            _ => None,
        }
    }

    /// Does the way down end in the message of an exception, or of its cause?
    fn is_wording(&self, difference: &Difference) -> bool {
        difference.location.path.iter().enumerate().any(|(depth, access)| match access {
            Access::Field { name, .. } if name == "message" => {
                place::owner_of_field(self.scene.reference, &difference.location, depth).is_some_and(
                    |class| {
                        Exceptions::of(self.scene).is_a(&class, "java.lang.Throwable")
                            || ["Exception", "Error"].iter().any(|ending| class.ends_with(ending))
                    },
                )
            }
            _ => false,
        })
    }

    /// The wording of an exception stays its wording when somebody asks for it. What else it holds explains a failure as
    /// well, in the form of values, and is behaviour only where tests care for it.
    fn asked_exception(&self, call: Call<'_>) -> Objection {
        let asked = self.asking(call)?;
        match asked.callable.name.as_str() {
            "getMessage" | "getLocalizedMessage" | "toString" => Some(RemarkReason::ExceptionMessage),
            "getStackTrace" | "fillInStackTrace" => Some(RemarkReason::ExceptionPlace),
            _ if self.scene.tests_look_into(&asked.callable.owner) => None,
            _ => Some(RemarkReason::ExceptionContents),
        }
    }

    /// The call on an exception that a call goes back to: itself, or one that made what it is called on or with.
    fn asking<'c>(&self, call: Call<'c>) -> Option<Call<'c>>
    where
        'a: 'c,
    {
        let receiver = call.receiver.filter(|receiver| thrown(self.scene.reference, *receiver).is_some());
        if receiver.is_some() {
            return Some(call);
        }
        let used = call.receiver.into_iter().chain(call.arguments.iter().copied());
        used.filter_map(|slot| self.scene.call(slot)).find_map(|before| self.asking(before))
    }

    /// Does the way down pass a field that neither users nor tests read?
    fn is_internal(&self, difference: &Difference) -> bool {
        // What an exception holds is shown by asking it, and a static field by reading it.
        matches!(difference.location.element, Element::Exception | Element::Statics)
            || difference.location.is_internal()
            || difference.location.path.iter().enumerate().any(|(depth, access)| match access {
                Access::Field { name, .. } => self.is_closed(difference, depth, name),
                _ => false,
            })
    }

    /// A field that the catalog knows as neither public nor tested.
    fn is_closed(&self, difference: &Difference, depth: usize, name: &str) -> bool {
        let Some(class) = place::owner_of_field(self.scene.reference, &difference.location, depth) else {
            return false;
        };
        let supertypes =
            self.scene.type_info(&class).map(|known| known.supertypes.as_slice()).unwrap_or_default();
        let mut fields = self.scene.callables().filter(|callable| {
            callable.kind == CallableKind::FieldGet
                && callable.name == name
                && (callable.owner == class || supertypes.contains(&callable.owner))
        });
        let open = |callable: &Callable| {
            callable.visibility == Visibility::Public
                || self.scene.facts_of(callable).is_some_and(|facts| facts.tested)
        };
        fields.next().is_some_and(|first| !open(first) && !fields.any(open))
    }
}

/// The class of the exception that a step throws.
pub(super) fn thrown(observation: &Observation, step: Slot) -> Option<&str> {
    observation.thrown_at(step).map(|exception| exception.type_name.as_str())
}

/// Objects of classes without a name, objects of which nothing but the class was seen, or two sorts of collection that
/// hold the same.
fn differ_in_class_only(expected: &Value, actual: &Value) -> bool {
    let class = |value: &Value| match value {
        Value::Object { type_name, .. } | Value::Deep { type_name } => {
            Some((type_name.clone(), is_nameless(type_name)))
        }
        Value::Opaque { type_name } => Some((type_name.clone(), true)),
        _ => None,
    };
    if let (Some((one, nameless)), Some((other, also))) = (class(expected), class(actual)) {
        return one != other && (nameless || also);
    }
    match (expected, actual) {
        (
            Value::Collection { kind: one, ordered, items, length, .. },
            Value::Collection { kind: other, ordered: also, items: others, length: other_length, .. },
        ) if one != other && is_plain(one) && is_plain(other) => {
            length == other_length && same_items(items, others, *ordered && *also)
        }
        _ => false,
    }
}

fn is_plain(kind: &CollectionKind) -> bool {
    matches!(kind, CollectionKind::List | CollectionKind::Set | CollectionKind::Other)
}

fn same_items(left: &[Value], right: &[Value], ordered: bool) -> bool {
    let (mut left, mut right) = (left.to_vec(), right.to_vec());
    if !ordered {
        left.sort();
        right.sort();
    }
    left == right
}

/// An anonymous class, a local one, a lambda or a proxy.
fn is_nameless(type_name: &str) -> bool {
    let numbered = |part: &str| part.starts_with(|first: char| first.is_ascii_digit());
    type_name.contains("$$Lambda")
        || type_name.contains("$Proxy")
        || type_name.split('$').skip(1).any(numbered)
}
