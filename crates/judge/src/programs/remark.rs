//! Why a difference between programs does not count: stable keys for programs, a sentence for people.

/// Why a difference is shown and never counted, the strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProgramRemark {
    /// A negative number where no test has one.
    UnusualSign,
    /// A number far beyond those of tests.
    ExtremeNumber,
    /// Something else than numbers, where tests have nothing else.
    NotNumbers,
    /// A list of numbers in which some come twice or not at all, where all lists of tests are orders of the first ones.
    NotAPermutation,
    /// A character that no test has, where tests are made of few.
    UnusualCharacter,
    /// Lines of more than one length, or more or fewer of them, where all tests have even boards.
    UnevenBoard,
    /// Bytes that are no text, where tests have text only.
    BrokenText,
    /// A last line that does not end, where those of all tests do.
    Unterminated,
    /// A quotation mark or bracket that is not closed, where tests close them all.
    Unclosed,
    /// The reference turns the input down, and so does the patched version in another way.
    ReferenceRejects,
    /// Last digits of numbers with a fraction, or the sign of zero.
    Rounding,
    /// White space at the ends of lines.
    WhiteSpace,
    /// What is printed on standard error.
    StandardError,
    /// The reference itself crashes, hangs or has a fault.
    ReferenceFails,
}

impl ProgramRemark {
    /// All of them, the strongest first.
    pub const ALL: [Self; 14] = [
        Self::UnusualSign,
        Self::ExtremeNumber,
        Self::NotNumbers,
        Self::NotAPermutation,
        Self::UnusualCharacter,
        Self::UnevenBoard,
        Self::BrokenText,
        Self::Unterminated,
        Self::Unclosed,
        Self::ReferenceRejects,
        Self::Rounding,
        Self::WhiteSpace,
        Self::StandardError,
        Self::ReferenceFails,
    ];

    /// The stable key.
    pub fn key(self) -> &'static str {
        match self {
            Self::UnusualSign => "unusual-sign",
            Self::ExtremeNumber => "extreme-number",
            Self::NotNumbers => "not-numbers",
            Self::NotAPermutation => "not-a-permutation",
            Self::UnusualCharacter => "unusual-character",
            Self::UnevenBoard => "uneven-board",
            Self::BrokenText => "broken-text",
            Self::Unterminated => "unterminated",
            Self::Unclosed => "unclosed",
            Self::ReferenceRejects => "reference-rejects",
            Self::Rounding => "rounding",
            Self::WhiteSpace => "white-space",
            Self::StandardError => "standard-error",
            Self::ReferenceFails => "reference-fails",
        }
    }

    /// Why it does not count, in a sentence.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::UnusualSign => "the input has a negative number, or 0, and that of no test has one",
            Self::ExtremeNumber => "the input has a number beyond those of the tests",
            Self::NotNumbers => {
                "the input has something else than numbers, or nothing at all, where tests have numbers and nothing else"
            }
            Self::NotAPermutation => {
                "a list in the input lacks a number or has one twice, and every list of tests has 1, 2, 3 and so on once each"
            }
            Self::UnusualCharacter => "the input has a character that no test has, and tests are made of few",
            Self::UnevenBoard => {
                "lines of the input are of several lengths, or more or fewer than in all tests, whose lines are of one"
            }
            Self::BrokenText => "the input is no text, where tests have text only",
            Self::Unterminated => "the last line of the input does not end, and that of every test does",
            Self::Unclosed => {
                "the input has quotation marks or brackets without their other half, and no test has"
            }
            Self::ReferenceRejects => {
                "the input is turned down, and no test says whether or how it should be"
            }
            Self::Rounding => "the numbers differ in the last digit only, or in the sign of zero",
            Self::WhiteSpace => "only white space at the ends of lines differs, which the tests do not mind",
            Self::StandardError => "only standard error differs, which no test compares",
            Self::ReferenceFails => "the reference itself fails on the input, so it is no measure",
        }
    }

    /// Is it a difference in what the program does, if one that nobody promised? Only such can count under `--strict`.
    pub fn is_difference(self) -> bool {
        self != Self::ReferenceFails
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_stands_in_the_manual() {
        let manual = include_str!("../../../../docs/c-programs.md");
        for reason in ProgramRemark::ALL {
            assert!(
                manual.contains(&format!("`{}`", reason.key())),
                "docs/c-programs.md lacks {}",
                reason.key()
            );
            assert!(reason.sentence().len() > 20);
        }
        assert!(ProgramRemark::ALL.is_sorted());
    }
}
