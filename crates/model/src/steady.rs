//! What stays the same when a program is run again: times, process numbers and what is drawn by lot are masked.

use std::collections::BTreeSet;

use crate::Execution;

/// Stands for what is not the same in each run.
const MASK: &[u8] = b"<varies>";

/// One execution of each version out of repeated ones. What differs between the runs of either version is masked in
/// both, word by word where that is possible. None if a version does not end alike each time.
pub fn steady(reference: &[Execution], patched: &[Execution]) -> Option<(Execution, Execution)> {
    let (one, other) = (reference.first()?, patched.first()?);
    let alike = |runs: &[Execution]| runs.iter().all(|run| run.end == runs[0].end);
    if !alike(reference) || !alike(patched) {
        return None;
    }
    let (mut one, mut other) = (one.clone(), other.clone());
    let stdout = |run: &Execution| Some(run.stdout.clone());
    let stderr = |run: &Execution| Some(run.stderr.clone());
    (one.stdout, other.stdout) = both(reference, patched, stdout).unwrap_or_default();
    (one.stderr, other.stderr) = both(reference, patched, stderr).unwrap_or_default();
    let runs = || reference.iter().chain(patched);
    let names: BTreeSet<&String> = runs().flat_map(|run| run.files.keys()).collect();
    for name in names {
        let sometimes = |runs: &[Execution]| {
            let there = runs.iter().filter(|run| run.files.contains_key(name)).count();
            there > 0 && there < runs.len()
        };
        if sometimes(reference) || sometimes(patched) {
            one.files.remove(name);
            other.files.remove(name);
        } else if let Some((left, right)) = both(reference, patched, |run| run.files.get(name).cloned()) {
            one.files.insert(name.clone(), left);
            other.files.insert(name.clone(), right);
        }
    }
    one.cut = reference.iter().any(|run| run.cut);
    other.cut = patched.iter().any(|run| run.cut);
    Some((one, other))
}

type Stream = Vec<u8>;

/// A stream of both versions, with what varies masked; none if a version does not have it.
fn both(
    reference: &[Execution],
    patched: &[Execution],
    stream: impl Fn(&Execution) -> Option<Stream>,
) -> Option<(Stream, Stream)> {
    let of = |runs: &[Execution]| runs.iter().map(&stream).collect::<Option<Vec<_>>>();
    let (left, right) = (of(reference)?, of(patched)?);
    let constant = |runs: &[Stream]| runs.iter().all(|run| *run == runs[0]);
    if constant(&left) && constant(&right) {
        return Some((left[0].clone(), right[0].clone()));
    }
    let (left, right) = (split_all(&left, b'\n'), split_all(&right, b'\n'));
    Some(mask(&left, &right, |left, right| {
        let (left, right) = (split_all(left, b' '), split_all(right, b' '));
        mask(&left, &right, |left, right| (masked(left), masked(right)))
    }))
}

fn split_all(runs: &[Stream], separator: u8) -> Vec<Vec<Stream>> {
    let split = |run: &Stream| run.split_inclusive(|&byte| byte == separator).map(<[u8]>::to_vec).collect();
    runs.iter().map(split).collect()
}

/// Masks the pieces at which the runs of a version differ, at the same places in both versions. Runs of a version that
/// do not have the same number of pieces have nothing in common that could be compared.
fn mask(
    left: &[Vec<Stream>],
    right: &[Vec<Stream>],
    within: impl Fn(&[Stream], &[Stream]) -> (Stream, Stream),
) -> (Stream, Stream) {
    let even = |runs: &[Vec<Stream>]| runs.iter().all(|run| run.len() == runs[0].len());
    if !even(left) || !even(right) {
        return (MASK.to_vec(), MASK.to_vec());
    }
    let column = |runs: &[Vec<Stream>], at: usize| -> Vec<Stream> {
        runs.iter().filter_map(|run| run.get(at).cloned()).collect()
    };
    let varies = |pieces: &[Stream]| pieces.iter().any(|piece| *piece != pieces[0]);
    let (mut one, mut other) = (Vec::new(), Vec::new());
    for at in 0..left[0].len().max(right[0].len()) {
        let (ours, theirs) = (column(left, at), column(right, at));
        let (ours, theirs) = match varies(&ours) || varies(&theirs) {
            true if ours.is_empty() => (Vec::new(), within(&theirs, &theirs).1),
            true if theirs.is_empty() => (within(&ours, &ours).0, Vec::new()),
            true => within(&ours, &theirs),
            false => (first(ours), first(theirs)),
        };
        one.extend(ours);
        other.extend(theirs);
    }
    (one, other)
}

/// The mask, with the space or line break behind it where all runs have that.
fn masked(pieces: &[Stream]) -> Stream {
    let ends = |separator: &u8| pieces.iter().all(|piece| piece.last() == Some(separator));
    let separator = [b' ', b'\n'].into_iter().find(|separator| ends(separator));
    MASK.iter().copied().chain(separator).collect()
}

/// The piece that all runs have, if they have one.
fn first(pieces: Vec<Stream>) -> Stream {
    pieces.into_iter().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProgramEnd;

    fn printed(text: &str) -> Execution {
        Execution { stdout: text.as_bytes().to_vec(), ..Execution::silent(ProgramEnd::Exited(0)) }
    }

    /// What is left of the outputs of two versions, as text.
    fn left(reference: [&str; 2], patched: [&str; 2]) -> (String, String) {
        let (one, other) = steady(&reference.map(printed), &patched.map(printed)).unwrap();
        let text = |run: Execution| String::from_utf8(run.stdout).unwrap();
        (text(one), text(other))
    }

    #[test]
    fn a_word_that_varies_in_one_version_is_masked_in_both() {
        let (one, other) = left(["at 1 sum 5\nend\n", "at 2 sum 5\nend\n"], ["at 3 sum 6\nend\n"; 2]);
        assert_eq!((one.as_str(), other.as_str()), ("at <varies> sum 5\nend\n", "at <varies> sum 6\nend\n"));
    }

    #[test]
    fn what_never_varies_stays_as_it_is() {
        assert_eq!(left(["a\nb\n"; 2], ["a\n"; 2]), ("a\nb\n".to_owned(), "a\n".to_owned()));
    }

    #[test]
    fn output_of_another_length_each_time_cannot_be_compared() {
        let (one, other) = left(["a\n", "a\nb\n"], ["c\n"; 2]);
        assert_eq!(one, other);
    }

    #[test]
    fn a_file_that_is_there_now_and_then_is_left_out() {
        let mut wrote = printed("x");
        wrote.files.insert("log".to_owned(), b"1".to_vec());
        let (one, other) = steady(&[wrote, printed("x")], &[printed("x"), printed("x")]).unwrap();
        assert_eq!(one, other);
    }

    #[test]
    fn a_version_that_ends_now_so_and_now_so_has_no_behaviour() {
        let other = Execution::silent(ProgramEnd::Exited(1));
        assert_eq!(steady(&[printed(""), other.clone()], &[printed(""), printed("")]), None);
        assert_eq!(steady(&[printed(""), printed("")], &[other, printed("")]), None);
    }
}
