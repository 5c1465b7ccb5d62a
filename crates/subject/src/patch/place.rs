//! Where a hunk fits in a file: at its line, else as near as possible, else with less context.

use super::lines::{self, Line, without_bom, without_cr};
use super::{Hunk, HunkLine, LineKind};

/// At most this much context may be dropped at each end, as in GNU patch.
pub(super) const MAX_FUZZ: usize = 2;

/// A hunk in its place.
#[derive(Debug, Clone)]
pub(super) struct Placed {
    /// Index of the file's line at which the hunk's kept lines begin.
    pub(super) start: usize,
    /// Context lines dropped at the beginning.
    pub(super) skip_front: usize,
    /// Context lines dropped at the end.
    pub(super) skip_back: usize,
    /// How much context was allowed to be dropped.
    pub(super) fuzz: usize,
    /// Lines from where the header says.
    pub(super) offset: isize,
    /// Other places (lines from 1) where it would have fitted as well, farther away.
    pub(super) also_at: Vec<usize>,
    /// The hunk's shape says that it stands at the end of the file, and it does not.
    pub(super) misses_end: bool,
}

/// Why there is no place.
#[derive(Debug)]
pub(super) enum NoPlace {
    /// The lines are not there.
    NotFound,
    /// Two places, equally far: lines from 1.
    Ambiguous(usize, usize),
}

/// The lines of the file that a hunk changes, without its context; two hunks must not share any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Core {
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Core {
    fn conflicts_with(self, other: Core) -> bool {
        self == other || (self.start < other.end && other.start < self.end)
    }
}

/// What a hunk asks of the file.
struct Wanted<'a> {
    old: Vec<&'a HunkLine>,
    front_context: usize,
    back_context: usize,
}

impl<'a> Wanted<'a> {
    fn of(hunk: &'a Hunk) -> Wanted<'a> {
        let is_context = |line: &&HunkLine| line.kind == LineKind::Context;
        let front_context = hunk.lines.iter().take_while(is_context).count();
        let all_context = front_context == hunk.lines.len();
        let back_context =
            if all_context { 0 } else { hunk.lines.iter().rev().take_while(is_context).count() };
        Wanted { old: hunk.old_side().collect(), front_context, back_context }
    }

    /// How many lines to drop at either end; the side with less context is near an end of the file and keeps it.
    fn skips(&self, fuzz: usize) -> (usize, usize) {
        let most = self.front_context.max(self.back_context);
        ((fuzz + self.front_context).saturating_sub(most), (fuzz + self.back_context).saturating_sub(most))
    }
}

/// Finds the place of one hunk, given the places of those before it.
pub(super) fn find(
    file: &[Line<'_>],
    hunk: &Hunk,
    drift: isize,
    taken: &[Core],
    max_fuzz: usize,
) -> Result<Placed, NoPlace> {
    let wanted = Wanted::of(hunk);
    let stated = hunk.old_start.saturating_sub(usize::from(!wanted.old.is_empty()));
    if wanted.old.is_empty() {
        return place_by_number(file, hunk, stated, drift, taken);
    }
    let most_context = wanted.front_context.max(wanted.back_context);
    for fuzz in 0..=max_fuzz.min(most_context) {
        let (skip_front, skip_back) = wanted.skips(fuzz);
        let kept = &wanted.old[skip_front..wanted.old.len() - skip_back];
        if fuzz > 0 && !kept.iter().any(|line| line.text.iter().any(u8::is_ascii_alphanumeric)) {
            break;
        }
        let candidates = positions(file, kept)
            .filter(|&start| {
                let core = core(hunk, start, skip_front);
                !taken.iter().any(|&other| core.conflicts_with(other))
            })
            .collect::<Vec<_>>();
        let nominal = signed(stated + skip_front);
        if let Some(start) = nearest(&candidates, nominal + drift)? {
            let also_at = candidates.iter().filter(|&&other| other != start).map(|other| other + 1).collect();
            let at_end = start + kept.len() == file.len();
            let offset = signed(start) - nominal;
            let misses_end = wanted.back_context < wanted.front_context && skip_back == 0 && !at_end;
            return Ok(Placed { start, skip_front, skip_back, fuzz, offset, also_at, misses_end });
        }
    }
    Err(NoPlace::NotFound)
}

/// The file's lines that a hunk changes, when its kept lines begin at `start`.
pub(super) fn core(hunk: &Hunk, start: usize, skip_front: usize) -> Core {
    let wanted = Wanted::of(hunk);
    let first = start + wanted.front_context - skip_front;
    Core { start: first, end: first + wanted.old.len() - wanted.front_context - wanted.back_context }
}

/// A hunk without any old line (`diff -U0`) has nothing but its line number.
fn place_by_number(
    file: &[Line<'_>],
    hunk: &Hunk,
    stated: usize,
    drift: isize,
    taken: &[Core],
) -> Result<Placed, NoPlace> {
    let start =
        stated.checked_add_signed(drift).filter(|&start| start <= file.len()).ok_or(NoPlace::NotFound)?;
    let core = core(hunk, start, 0);
    if taken.iter().any(|&other| core.conflicts_with(other)) {
        return Err(NoPlace::NotFound);
    }
    let also_at = Vec::new();
    Ok(Placed { start, skip_front: 0, skip_back: 0, fuzz: 0, offset: drift, also_at, misses_end: false })
}

fn positions<'a>(file: &'a [Line<'_>], kept: &'a [&HunkLine]) -> impl Iterator<Item = usize> + 'a {
    let last = file.len().checked_sub(kept.len());
    (0..last.map_or(0, |last| last + 1))
        .filter(move |&start| kept.iter().zip(start..).all(|(line, at)| same_text(file, at, &line.text)))
}

/// Whether a line of the file reads as the patch says, whatever its ending and a byte order mark before it.
pub(super) fn same_text(file: &[Line<'_>], at: usize, text: &[u8]) -> bool {
    let Some(line) = file.get(at) else { return false };
    let (have, want) = (without_cr(line.text), without_cr(text));
    have == want || (at == 0 && without_bom(have) == without_bom(want))
}

/// The candidate nearest to `guess`.
fn nearest(candidates: &[usize], guess: isize) -> Result<Option<usize>, NoPlace> {
    let distance = |candidate: usize| signed(candidate).abs_diff(guess);
    let Some(least) = candidates.iter().map(|&candidate| distance(candidate)).min() else { return Ok(None) };
    let mut best = candidates.iter().copied().filter(|&candidate| distance(candidate) == least);
    match (best.next(), best.next()) {
        (Some(one), Some(two)) => Err(NoPlace::Ambiguous(one + 1, two + 1)),
        (one, _) => Ok(one),
    }
}

/// Where most lines of a hunk stand, in words: for the message about a hunk that does not fit.
pub(super) fn describe_nearest(file: &[Line<'_>], hunk: &Hunk) -> Option<String> {
    let wanted = Wanted::of(hunk);
    let matching = |start: usize| {
        wanted.old.iter().zip(start..).filter(|(line, at)| same_text(file, *at, &line.text)).count()
    };
    let start = (0..file.len()).rev().max_by_key(|&start| (matching(start), nearness(start, hunk)))?;
    let found = matching(start);
    if found == 0 {
        return None;
    }
    let (line, at) = wanted.old.iter().zip(start..).find(|(line, at)| !same_text(file, *at, &line.text))?;
    let have = file.get(at).map_or("the end of the file".to_owned(), |line| quoted(line.text));
    Some(format!(
        "it fits best at line {}, where {found} of {} lines agree; line {} should be {} and is {have}",
        start + 1,
        wanted.old.len(),
        at + 1,
        quoted(lines::without_cr(&line.text)),
    ))
}

fn nearness(start: usize, hunk: &Hunk) -> isize {
    -signed(start.abs_diff(hunk.old_start.saturating_sub(1)))
}

fn quoted(text: &[u8]) -> String {
    format!("`{}`", String::from_utf8_lossy(text))
}

/// Line numbers are far below the limit; a header that claims otherwise only has to stay far away.
fn signed(number: usize) -> isize {
    isize::try_from(number).unwrap_or(isize::MAX / 4).min(isize::MAX / 4)
}
