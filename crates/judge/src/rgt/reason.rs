//! Why a difference does not count: stable keys for programs, a sentence for people.

/// Why a difference is shown and never counted. In the order of strength: the first ones would be evidence but for
/// the input, so that a search may come upon a better one nearby; the last ones are hardly differences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RemarkReason {
    /// A number of a sign that tests never pass here.
    UnusualSign,
    /// A list out of order, where tests pass sorted ones only.
    Unsorted,
    /// An element twice, where tests pass each once only.
    Repeated,
    /// Nothing in a string, an array or a list, where tests always pass something; only where nobody says what is right for it.
    EmptyArgument,
    /// A number near the end of its type's range, or of double precision.
    ExtremeNumber,
    /// `null` where nobody passes it.
    NullArgument,
    /// NaN or infinity where nobody passes it.
    NotFinite,
    /// A string with half of a surrogate pair or with control characters.
    BrokenText,
    /// A string or an array beyond all that is usual.
    Huge,
    /// A stub that cannot keep the contract of what it stands for.
    StubArgument,
    /// Something is called that users cannot call and no test calls.
    NotPublic,
    /// The reference throws something that nobody promised.
    ReferenceRejects,
    /// Small changes of the input change the reference's own result as much.
    IllConditioned,
    /// It shows at a call into a library.
    LibraryCall,
    /// Two exceptions that the documentation does not tell apart.
    DocumentedAlike,
    /// Two results of a comparison with the same sign.
    ComparisonSign,
    /// Last digits of floating point numbers, or the sign of zero.
    Rounding,
    /// The number of zeros behind the point of a `BigDecimal`.
    BigDecimalScale,
    /// Objects or collections of classes that their users cannot name.
    ImplementationClass,
    /// A hash code.
    HashCode,
    /// What an exception holds, of a class that no test looks into.
    ExceptionContents,
    /// The wording of an exception.
    ExceptionMessage,
    /// The method that throws.
    ExceptionPlace,
    /// What private fields hold.
    InternalState,
    /// The reference itself does not come to an end.
    ReferenceBrokeDown,
    /// Classes of the patched version do not fit together.
    LinkageError,
    /// The input does not fit one of the versions.
    Unfit,
    /// One version has not what is called.
    Unavailable,
    /// A field that only one version's class has.
    Shape,
}

impl RemarkReason {
    /// All of them, the strongest first.
    pub const ALL: [Self; 29] = [
        Self::UnusualSign,
        Self::Unsorted,
        Self::Repeated,
        Self::EmptyArgument,
        Self::ExtremeNumber,
        Self::NullArgument,
        Self::NotFinite,
        Self::BrokenText,
        Self::Huge,
        Self::StubArgument,
        Self::NotPublic,
        Self::ReferenceRejects,
        Self::IllConditioned,
        Self::LibraryCall,
        Self::DocumentedAlike,
        Self::ComparisonSign,
        Self::Rounding,
        Self::BigDecimalScale,
        Self::ImplementationClass,
        Self::HashCode,
        Self::ExceptionContents,
        Self::ExceptionMessage,
        Self::ExceptionPlace,
        Self::InternalState,
        Self::ReferenceBrokeDown,
        Self::LinkageError,
        Self::Unfit,
        Self::Unavailable,
        Self::Shape,
    ];

    /// The stable key.
    pub fn key(self) -> &'static str {
        match self {
            Self::UnusualSign => "unusual-sign",
            Self::Unsorted => "unsorted",
            Self::Repeated => "repeated",
            Self::EmptyArgument => "empty-argument",
            Self::ExtremeNumber => "extreme-number",
            Self::NullArgument => "null-argument",
            Self::NotFinite => "not-finite",
            Self::BrokenText => "broken-text",
            Self::Huge => "huge",
            Self::StubArgument => "stub-argument",
            Self::NotPublic => "not-public",
            Self::ReferenceRejects => "reference-rejects",
            Self::IllConditioned => "ill-conditioned",
            Self::LibraryCall => "library-call",
            Self::DocumentedAlike => "documented-alike",
            Self::ComparisonSign => "comparison-sign",
            Self::Rounding => "rounding",
            Self::BigDecimalScale => "big-decimal-scale",
            Self::ImplementationClass => "implementation-class",
            Self::HashCode => "hash-code",
            Self::ExceptionContents => "exception-contents",
            Self::ExceptionMessage => "exception-message",
            Self::ExceptionPlace => "exception-place",
            Self::InternalState => "internal-state",
            Self::ReferenceBrokeDown => "reference-broke-down",
            Self::LinkageError => "linkage-error",
            Self::Unfit => "unfit",
            Self::Unavailable => "unavailable",
            Self::Shape => "shape",
        }
    }

    /// Why it does not count, in a sentence.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::UnusualSign => "the input has a number of a sign that no test passes there",
            Self::Unsorted => "the input has an unsorted list where tests pass sorted ones only",
            Self::Repeated => "the input has an element twice where tests pass each once only",
            Self::EmptyArgument => {
                "the input passes an empty string, array or list where tests always pass one with something in it"
            }
            Self::ExtremeNumber => {
                "the input has a number so large or so small that overflow is to be expected"
            }
            Self::NullArgument => {
                "the input passes null where no test does and no documentation speaks of it"
            }
            Self::NotFinite => "the input passes NaN or infinity where no test does",
            Self::BrokenText => "the input has a string with control characters or half of a surrogate pair",
            Self::Huge => "the input has a string or an array of unusual length",
            Self::StubArgument => "the input has a stub that cannot keep the contract of what it stands for",
            Self::NotPublic => "the input calls what is not public and what no test calls",
            Self::ReferenceRejects => "the reference throws what nobody promised, so the input may be wrong",
            Self::IllConditioned => {
                "the reference's own result changes as much when the input changes in the last digit"
            }
            Self::LibraryCall => "the difference shows in a library's method, not in the program's",
            Self::DocumentedAlike => "the documentation does not tell the two exceptions apart",
            Self::ComparisonSign => {
                "only the sign of a comparison's result has a meaning, and it is the same"
            }
            Self::Rounding => "the numbers differ in the last digits only, or in the sign of zero",
            Self::BigDecimalScale => "the numbers are equal, only their scale differs",
            Self::ImplementationClass => "the objects differ only in a class that users cannot name",
            Self::HashCode => "nobody may rely on the value of a hash code",
            Self::ExceptionContents => "the exceptions differ only in what they hold, which no test looks at",
            Self::ExceptionMessage => "the exceptions differ only in their wording",
            Self::ExceptionPlace => "the exceptions differ only in the method that throws them",
            Self::InternalState => "the objects differ only in fields that users cannot read",
            Self::ReferenceBrokeDown => "the reference itself does not come to an end, so it is no measure",
            Self::LinkageError => "the classes of the patched version do not fit together at this call",
            Self::Unfit => "the input does not fit one of the versions",
            Self::Unavailable => "one of the versions does not have what is called",
            Self::Shape => "only one of the versions has the field",
        }
    }

    /// Is it a difference in what the program does, if one that nobody promised? Only such can count under `--strict`.
    pub fn is_difference(self) -> bool {
        !matches!(
            self,
            Self::ReferenceBrokeDown | Self::LinkageError | Self::Unfit | Self::Unavailable | Self::Shape
        )
    }

    /// Is it about the input alone, so that the same difference with another input may count?
    pub fn is_about_the_input(self) -> bool {
        self <= Self::NotPublic
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn keys_are_kebab_case_and_unique() {
        let keys: BTreeSet<&str> = RemarkReason::ALL.iter().map(|reason| reason.key()).collect();
        assert_eq!(keys.len(), RemarkReason::ALL.len());
        for key in keys {
            assert!(key.chars().all(|character| character == '-' || character.is_ascii_lowercase()), "{key}");
        }
    }

    #[test]
    fn all_stand_in_the_order_of_their_strength() {
        assert!(RemarkReason::ALL.is_sorted());
        assert_eq!(RemarkReason::ALL.last(), Some(&RemarkReason::Shape));
    }

    #[test]
    fn every_reason_is_a_sentence_and_stands_in_the_manual() {
        let manual = include_str!("../../../../docs/rgt.md");
        for reason in RemarkReason::ALL {
            assert!(reason.sentence().len() > 20);
            assert!(manual.contains(&format!("`{}`", reason.key())), "docs/rgt.md lacks {}", reason.key());
        }
    }

    #[test]
    fn what_is_no_behaviour_is_none_under_strict_rules_either() {
        let never: Vec<&str> = RemarkReason::ALL
            .iter()
            .filter(|reason| !reason.is_difference())
            .map(|reason| reason.key())
            .collect();
        assert_eq!(never, ["reference-broke-down", "linkage-error", "unfit", "unavailable", "shape"]);
    }

    #[test]
    fn reasons_about_the_input_end_where_those_about_the_difference_begin() {
        assert!(RemarkReason::UnusualSign.is_about_the_input());
        assert!(RemarkReason::NotPublic.is_about_the_input());
        assert!(!RemarkReason::ReferenceRejects.is_about_the_input());
    }
}
