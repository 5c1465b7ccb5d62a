//! A whole class with probes.

use super::class::{Class, Method};
use super::code::Code;
use super::constants::{NewConstants, decoded};
use super::entry::initialised_from;
use super::plan::{
    INITIALIZER, IdSpace, Instrumented, MethodName, ProbeKind, ProbePlan, ProbeSite, SkipReason, Skipped,
};
use super::reader::{put2, sized4};
use super::rewrite::{RewriteError, rewrite};
use super::weave::Loom;
use super::{ClassFileError, RUNTIME_CLASS};

/// The first version whose verifier wants frames.
const FIRST_WITH_FRAMES: u16 = 50;

/// Puts the probes of `plan` into a class; `ids` moves on by what was used.
///
/// The same class, plan and ids give the same bytes. A method that cannot have all probes has fewer or none and is
/// listed in [`Instrumented::skipped`]. It is an error only if the bytes are no class file.
pub fn instrument(class: &[u8], plan: &ProbePlan, ids: &mut IdSpace) -> Result<Instrumented, ClassFileError> {
    let class = Class::read(class)?;
    let mut shuttle = Shuttle {
        class: &class,
        plan,
        ids,
        constants: NewConstants::behind(class.pool.count()),
        sites: Vec::new(),
        skipped: Vec::new(),
    };
    let methods: Vec<MethodName> = class.methods.iter().map(method_name).collect();
    let mut codes = Vec::new();
    for (index, method) in class.methods.iter().enumerate() {
        let kinds = kinds(plan, &methods[index]);
        if let Some(range) = method.code.clone()
            && let Some(code) = shuttle.method(index, &methods[index], &kinds)
        {
            codes.push((range, code));
        }
    }
    let Shuttle { mut constants, sites, skipped, .. } = shuttle;
    let mut clocks = if plan.clock { class.pool.owners_of(SYSTEM, &CLOCKS) } else { Vec::new() };
    if !constants.has_room() {
        clocks.clear();
    }
    let runtime = if clocks.is_empty() { 0 } else { constants.class(RUNTIME_CLASS) };
    let mut bytes = assembled(&class, &constants, &codes, clocks.is_empty());
    for at in clocks {
        // Nothing before the end of the old pool has moved.
        let mut index = Vec::new();
        put2(&mut index, runtime);
        bytes[at..at + 2].copy_from_slice(&index);
    }
    Ok(Instrumented { class: decoded(class.name), bytes, methods, sites, skipped })
}

fn method_name(method: &Method<'_>) -> MethodName {
    MethodName { name: decoded(method.name), descriptor: decoded(method.descriptor) }
}

fn kinds(plan: &ProbePlan, method: &MethodName) -> Vec<ProbeKind> {
    let selection = |kind: &ProbeKind| match kind {
        ProbeKind::Line => &plan.lines,
        ProbeKind::Branch => &plan.branches,
        ProbeKind::Block => &plan.blocks,
        ProbeKind::Call => &plan.calls,
        ProbeKind::Step => &plan.steps,
    };
    let wanted = |kind: &ProbeKind| {
        selection(kind).contains(method) || (*kind == ProbeKind::Call && plan.watches_initializer(method))
    };
    ProbeKind::ALL.into_iter().filter(wanted).collect()
}

/// Whose clocks are replaced, and what they are called.
const SYSTEM: &[u8] = b"java/lang/System";
const CLOCKS: [&[u8]; 2] = [b"currentTimeMillis", b"nanoTime"];

type Replaced = (std::ops::Range<usize>, Vec<u8>);

fn assembled(class: &Class<'_>, constants: &NewConstants, codes: &[Replaced], keeps_pool: bool) -> Vec<u8> {
    if codes.is_empty() && keeps_pool {
        return class.bytes.to_vec();
    }
    let grown: usize = codes.iter().map(|(_, code)| code.len()).sum();
    let mut out = Vec::with_capacity(class.bytes.len() + constants.bytes().len() + grown);
    out.extend_from_slice(&class.bytes[..8]);
    put2(&mut out, constants.count());
    out.extend_from_slice(&class.bytes[10..class.pool_end]);
    out.extend_from_slice(constants.bytes());
    let mut copied = class.pool_end;
    for (range, code) in codes {
        // The attribute's length stands in the four bytes before its contents.
        out.extend_from_slice(&class.bytes[copied..range.start - 4]);
        sized4(&mut out, |out| out.extend_from_slice(code));
        copied = range.end;
    }
    out.extend_from_slice(&class.bytes[copied..]);
    out
}

struct Shuttle<'a> {
    class: &'a Class<'a>,
    plan: &'a ProbePlan,
    ids: &'a mut IdSpace,
    constants: NewConstants,
    sites: Vec<ProbeSite>,
    skipped: Vec<Skipped>,
}

impl Shuttle<'_> {
    /// The new code of a method; `None` if it stays as it is.
    fn method(&mut self, index: usize, name: &MethodName, wanted: &[ProbeKind]) -> Option<Vec<u8>> {
        let method = &self.class.methods[index];
        let range = method.code.clone().filter(|_| !wanted.is_empty())?;
        if !self.constants.has_room() {
            return self.skip(name, wanted, SkipReason::PoolFull);
        }
        let (Ok(code), Ok((parameters, result))) = (Code::read(self.class, range), method.types()) else {
            return self.skip(name, wanted, SkipReason::Malformed);
        };
        let mut kinds = wanted.to_vec();
        let mut entry = 0;
        if kinds.contains(&ProbeKind::Call) {
            match entry_of(self.class, method, &code, &parameters) {
                Ok(at) => entry = at,
                Err(reason) => {
                    self.skip(name, &[ProbeKind::Call], reason);
                    kinds.retain(|&kind| kind != ProbeKind::Call);
                }
            }
        }
        let (leaders, lines) = (code.leaders(), code.lines());
        let loom = Loom {
            method,
            method_index: index,
            code: &code,
            leaders: &leaders,
            lines: &lines,
            parameters: &parameters,
            result,
            entry,
            call: self.plan.watches_initializer(name).then_some(INITIALIZER),
        };
        self.largest_that_fits(name, &loom, &kinds)
    }

    /// The code with as many of the probes as fit.
    fn largest_that_fits(
        &mut self,
        name: &MethodName,
        loom: &Loom<'_>,
        wanted: &[ProbeKind],
    ) -> Option<Vec<u8>> {
        let needs_frames = self.class.major >= FIRST_WITH_FRAMES;
        let mut first_reason = None;
        for dropped in 0..wanted.len() {
            let mut ids = *self.ids;
            let weave = loom.weave(&wanted[dropped..], &mut ids, &mut self.constants);
            if weave.insertions.is_empty() {
                break;
            }
            let mut out = Vec::with_capacity(loom.code.bytes.len() * 2 + weave.code.len());
            match rewrite(loom.code, &weave, needs_frames, &mut self.constants, &mut out) {
                Ok(()) => {
                    *self.ids = ids;
                    self.sites.extend(weave.sites);
                    if let Some(reason) = first_reason {
                        self.skip(name, &wanted[..dropped], reason);
                    }
                    return Some(out);
                }
                Err(RewriteError::Skip(reason)) => {
                    first_reason.get_or_insert(reason);
                }
                Err(RewriteError::Malformed(error)) => {
                    tracing::debug!("{}.{name}: {error}", decoded(self.class.name));
                    return self.skip(name, wanted, SkipReason::Malformed);
                }
            }
        }
        first_reason.and_then(|reason| self.skip(name, wanted, reason))
    }

    fn skip(&mut self, method: &MethodName, dropped: &[ProbeKind], reason: SkipReason) -> Option<Vec<u8>> {
        self.skipped.push(Skipped { method: method.clone(), dropped: dropped.to_vec(), reason });
        None
    }
}

/// The instruction before which `enter` stands.
fn entry_of(
    class: &Class<'_>,
    method: &Method<'_>,
    code: &Code<'_>,
    parameters: &[u8],
) -> Result<usize, SkipReason> {
    if code.has_subroutines {
        return Err(SkipReason::Subroutines);
    }
    if !method.is_constructor() {
        return Ok(0);
    }
    initialised_from(class, method, code, parameters).ok_or(SkipReason::Constructor)
}
