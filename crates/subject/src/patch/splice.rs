//! What a file looks like when its hunks are applied: every byte that the patch does not change stays as it was.
//!
//! Three things are the file's own rather than the patch's, unless the patch visibly changes them: how lines end,
//! whether the last line ends at all, and a byte order mark.

use super::lines::{self, BOM, Ending, Line, without_cr};
use super::place::{self, Core, NoPlace, Placed};
use super::{Hunk, HunkLine, LineKind};

/// A file after its hunks.
#[derive(Debug)]
pub(super) struct Patched {
    pub(super) bytes: Vec<u8>,
    /// In the order of the diff.
    pub(super) places: Vec<Placed>,
}

/// A hunk that does not fit.
#[derive(Debug)]
pub(super) struct Misfit {
    /// Index into the hunks.
    pub(super) hunk: usize,
    pub(super) why: String,
    pub(super) nearest: Option<String>,
}

/// Applies all hunks of one file. All are matched against the file as it was, so their order does not matter.
pub(super) fn apply_hunks(content: &[u8], hunks: &[Hunk], max_fuzz: usize) -> Result<Patched, Misfit> {
    let file = lines::split(content);
    let places = place_all(&file, hunks, max_fuzz)?;
    let mut edits: Vec<Edit<'_>> = Vec::new();
    let mut from_top: Vec<(&Hunk, &Placed)> = hunks.iter().zip(&places).collect();
    from_top.sort_by_key(|(hunk, placed)| {
        let core = place::core(hunk, placed.start, placed.skip_front);
        (core.start, core.end)
    });
    for (hunk, placed) in from_top {
        edits.extend(edits_of(&file, hunk, placed));
    }
    edits.sort_by_key(|edit| edit.at);
    let mut out = rewrite(&file, &edits);
    settle_final_newline(&mut out, &file, hunks, &places);
    let mut bytes = join(&out, lines::uniform_ending(&file).unwrap_or(Ending::Lf));
    if content.starts_with(BOM) && !bytes.starts_with(BOM) && bom_is_unspoken(hunks) && !bytes.is_empty() {
        bytes.splice(0..0, BOM.iter().copied());
    }
    Ok(Patched { bytes, places })
}

fn place_all(file: &[Line<'_>], hunks: &[Hunk], max_fuzz: usize) -> Result<Vec<Placed>, Misfit> {
    let mut order: Vec<usize> = (0..hunks.len()).collect();
    order.sort_by_key(|&index| hunks[index].old_start);
    let mut places: Vec<Option<Placed>> = vec![None; hunks.len()];
    let mut taken: Vec<Core> = Vec::new();
    let mut drift = 0;
    for index in order {
        let hunk = &hunks[index];
        let found = place::find(file, hunk, drift, &taken, max_fuzz).map_err(|no_place| Misfit {
            hunk: index,
            why: why_not(file, hunk, &no_place),
            nearest: place::describe_nearest(file, hunk),
        })?;
        drift = found.offset;
        taken.push(place::core(hunk, found.start, found.skip_front));
        places[index] = Some(found);
    }
    Ok(places.into_iter().flatten().collect())
}

fn why_not(file: &[Line<'_>], hunk: &Hunk, no_place: &NoPlace) -> String {
    match no_place {
        NoPlace::Ambiguous(one, two) => format!("it fits equally well at lines {one} and {two}"),
        NoPlace::NotFound if hunk.old_side().next().is_none() => {
            format!("it has no context and cannot go to line {} of {} lines", hunk.old_start, file.len())
        }
        NoPlace::NotFound if is_applied(file, hunk) => {
            "its lines are not in the file, but what it makes of them is: this hunk is applied already or reversed"
                .to_owned()
        }
        NoPlace::NotFound => "its lines are not in the file (or another hunk has changed them)".to_owned(),
    }
}

fn is_applied(file: &[Line<'_>], hunk: &Hunk) -> bool {
    let adds = hunk.lines.iter().any(|line| line.kind == LineKind::Add);
    adds && place::find(file, &hunk.reversed(), 0, &[], 0).is_ok()
}

/// Removes or adds one line before the file's line `at`.
struct Edit<'a> {
    at: usize,
    add: Option<OutLine<'a>>,
}

/// A line of the result.
#[derive(Clone, Copy)]
struct OutLine<'a> {
    text: &'a [u8],
    ending: Ending,
    added: bool,
}

fn edits_of<'a>(file: &[Line<'_>], hunk: &'a Hunk, placed: &Placed) -> Vec<Edit<'a>> {
    let style = ending_style(file, hunk, placed);
    let mut at = placed.start;
    let mut edits = Vec::new();
    for line in kept_lines(hunk, placed) {
        match line.kind {
            LineKind::Context => at += 1,
            LineKind::Remove => {
                edits.push(Edit { at, add: None });
                at += 1;
            }
            LineKind::Add => edits.push(Edit { at, add: Some(added_line(line, style)) }),
        }
    }
    edits
}

fn kept_lines<'a>(hunk: &'a Hunk, placed: &Placed) -> &'a [HunkLine] {
    &hunk.lines[placed.skip_front..hunk.lines.len() - placed.skip_back]
}

fn added_line(line: &HunkLine, style: Option<Ending>) -> OutLine<'_> {
    let text = without_cr(&line.text);
    let own = if text.len() < line.text.len() { Ending::CrLf } else { Ending::Lf };
    OutLine { text, ending: style.unwrap_or(own), added: true }
}

/// The ending for added lines; `None` if the patch knows the file's endings, so that its own are meant.
fn ending_style(file: &[Line<'_>], hunk: &Hunk, placed: &Placed) -> Option<Ending> {
    let old = kept_lines(hunk, placed).iter().filter(|line| line.kind != LineKind::Add);
    let here = old.zip(file.get(placed.start..).unwrap_or_default());
    let ended = here.filter(|(_, line)| line.ending != Ending::None).collect::<Vec<_>>();
    if ended.is_empty() {
        return lines::uniform_ending(file);
    }
    let agrees =
        |(patch, line): &(&HunkLine, &Line<'_>)| patch.text.ends_with(b"\r") == (line.ending == Ending::CrLf);
    if ended.iter().all(agrees) { None } else { ended.first().map(|(_, line)| line.ending) }
}

fn rewrite<'a>(file: &[Line<'a>], edits: &[Edit<'a>]) -> Vec<OutLine<'a>> {
    let mut out = Vec::with_capacity(file.len() + edits.len());
    let mut edits = edits.iter().peekable();
    for at in 0..=file.len() {
        let mut removed = false;
        while let Some(edit) = edits.next_if(|edit| edit.at == at) {
            match edit.add {
                Some(line) => out.push(line),
                None => removed = true,
            }
        }
        if let Some(line) = file.get(at).filter(|_| !removed) {
            out.push(OutLine { text: line.text, ending: line.ending, added: false });
        }
    }
    out
}

/// The last line ends as in the file, unless the patch says that this changes.
fn settle_final_newline(out: &mut [OutLine<'_>], file: &[Line<'_>], hunks: &[Hunk], places: &[Placed]) {
    let Some(last) = out.last_mut() else { return };
    let file_ends = file.last().is_none_or(|line| line.ending != Ending::None);
    let at_end = hunks.iter().zip(places).find(|(hunk, placed)| {
        placed.skip_back == 0 && placed.start + hunk.old_side().count() - placed.skip_front == file.len()
    });
    let change = at_end.and_then(|(hunk, _)| {
        let ends = |line: Option<&HunkLine>| line.is_none_or(|line| !line.no_newline);
        let (old, new) = (ends(hunk.old_side().next_back()), ends(hunk.new_side().next_back()));
        (old != new).then_some(new)
    });
    match change {
        Some(false) => last.ending = Ending::None,
        Some(true) if last.ending == Ending::None => {
            last.ending = lines::uniform_ending(file).unwrap_or(Ending::Lf);
        }
        None if last.added && !file_ends => last.ending = Ending::None,
        _ => {}
    }
}

fn join(out: &[OutLine<'_>], fallback: Ending) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (index, line) in out.iter().enumerate() {
        let is_last = index + 1 == out.len();
        bytes.extend_from_slice(line.text);
        let ending = if line.ending == Ending::None && !is_last { fallback } else { line.ending };
        bytes.extend_from_slice(ending.bytes());
    }
    bytes
}

/// A patch that never writes the mark (its tool hid it) does not mean to remove it.
fn bom_is_unspoken(hunks: &[Hunk]) -> bool {
    !hunks.iter().flat_map(|hunk| &hunk.lines).any(|line| line.text.starts_with(BOM))
}
