//! Does a fault lie in changed code, or does one of its stacks pass it?

use bonafix_model::{ChangeKind, Delta, DeltaElement, ElementKind, Fault, Frame, LineRange};

use super::Why;

/// What a patch changes, as places of the patched version.
pub(super) struct Change<'a> {
    elements: Vec<(&'a str, &'a DeltaElement)>,
}

/// How a frame meets the change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Touch {
    /// Its function is changed, elsewhere.
    Function,
    /// It stands in a changed statement, or in a new function.
    Statement,
}

impl<'a> Change<'a> {
    pub(super) fn of(delta: &'a Delta) -> Self {
        let elements = delta
            .files
            .iter()
            .flat_map(|file| file.elements.iter().map(move |element| (file.path.as_str(), element)));
        Self { elements: elements.filter(|(_, element)| element.change != ChangeKind::Removed).collect() }
    }

    /// Why a fault is the patch's; none if it may as well have been there before.
    pub(super) fn reason(&self, fault: &Fault) -> Option<Why> {
        let own: Vec<&Frame> = fault.stack.iter().filter(|frame| !frame.file.is_empty()).collect();
        let (innermost, callers) =
            own.split_first().map_or((None, &[][..]), |(first, rest)| (Some(*first), rest));
        if innermost.is_some_and(|frame| self.passes(frame)) {
            return Some(Why::InChangedCode);
        }
        if callers.iter().any(|frame| self.passes(frame)) {
            return Some(Why::StackPassesChange);
        }
        let origins = fault.origins.iter().flatten();
        origins
            .filter(|frame| !frame.file.is_empty())
            .any(|frame| self.passes(frame))
            .then_some(Why::OriginPassesChange)
    }

    /// Every stack begins in `main`, so that says nothing, but for the very statements that were changed.
    fn passes(&self, frame: &Frame) -> bool {
        match self.touch(frame) {
            Some(Touch::Statement) => true,
            Some(Touch::Function) => frame.function != "main",
            None => false,
        }
    }

    fn touch(&self, frame: &Frame) -> Option<Touch> {
        let in_file = self.elements.iter().filter(|(path, _)| *path == frame.file);
        in_file.filter_map(|(_, element)| touch(element, frame)).max()
    }
}

fn touch(element: &DeltaElement, frame: &Frame) -> Option<Touch> {
    let runs = element.kind.is_code();
    let is_variable = element.kind == ElementKind::Field;
    let here = match element.after {
        Some(range) if frame.line > 0 => contains(range, frame.line),
        _ => runs && element.member == frame.function,
    };
    if !here || !(runs || is_variable) {
        return None;
    }
    let changed = |range: LineRange| contains(range, frame.line);
    let in_statement = element
        .statements_after
        .iter()
        .any(|statement| changed(statement.lines) || statement.extent.is_some_and(changed));
    let whole = element.change == ChangeKind::Added || is_variable;
    Some(if whole || in_statement { Touch::Statement } else { Touch::Function })
}

fn contains(range: LineRange, line: u32) -> bool {
    (range.first..=range.last).contains(&line)
}
