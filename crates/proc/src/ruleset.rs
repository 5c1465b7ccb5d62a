//! The Landlock ruleset: which files a sandboxed program can open.

use crate::confine::{DEVICES, ETC_PREFIXES, SYSTEM_READ, SandboxSpec};
use camino::{Utf8Path, Utf8PathBuf};
use landlock::{
    ABI, Access, AccessFs, BitFlags, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreated,
    RulesetCreatedAttr, RulesetError, Scope, path_beneath_rules,
};
use std::io;
use std::os::fd::OwnedFd;

/// The compiled ruleset and the read access in its terms.
pub(crate) struct Compiled {
    pub(crate) ruleset: Option<OwnedFd>,
    pub(crate) read_access: u64,
}

/// A ruleset for one job. `program` is readable whatever folder it lies in.
pub(crate) fn compile(spec: &SandboxSpec, program: &Utf8Path, abi: u32) -> io::Result<Compiled> {
    let Some(abi) = known(abi) else { return Ok(Compiled { ruleset: None, read_access: 0 }) };
    let read = AccessFs::from_read(abi);
    let created = build(spec, program, abi).map_err(io::Error::other)?;
    Ok(Compiled { ruleset: created.into(), read_access: read.bits() })
}

fn build(spec: &SandboxSpec, program: &Utf8Path, abi: ABI) -> Result<RulesetCreated, RulesetError> {
    let all = AccessFs::from_all(abi);
    let mut ruleset = Ruleset::default().set_compatibility(CompatLevel::BestEffort).handle_access(all)?;
    if !Scope::from_all(abi).is_empty() {
        ruleset = ruleset.scope(Scope::from_all(abi))?;
    }
    let read = AccessFs::from_read(abi);
    let device = read | (AccessFs::WriteFile | AccessFs::Truncate | AccessFs::IoctlDev) & all;
    // Device nodes are never for a subject to make.
    let write: BitFlags<AccessFs> = all & !(AccessFs::MakeChar | AccessFs::MakeBlock);
    ruleset
        .create()?
        .add_rules(path_beneath_rules(SYSTEM_READ, read))?
        .add_rules(path_beneath_rules(java_configuration(), read))?
        .add_rules(path_beneath_rules(&spec.read, read))?
        .add_rules(path_beneath_rules([program], read))?
        .add_rules(path_beneath_rules(DEVICES, device))?
        .add_rules(path_beneath_rules(&spec.write, write))?
        // Seen from `/tmp` it lies below none of the others.
        .add_rules(path_beneath_rules(&spec.temporary, write))
}

fn java_configuration() -> Vec<Utf8PathBuf> {
    let Ok(entries) = Utf8Path::new("/etc").read_dir_utf8() else { return Vec::new() };
    entries
        .flatten()
        .filter(|entry| ETC_PREFIXES.iter().any(|prefix| entry.file_name().starts_with(prefix)))
        .map(|entry| entry.path().to_owned())
        .collect()
}

/// What we know how to ask for; a newer kernel gets the newest of it.
fn known(abi: u32) -> Option<ABI> {
    Some(match abi {
        0 => return None,
        1 => ABI::V1,
        2 => ABI::V2,
        3 => ABI::V3,
        4 => ABI::V4,
        5 => ABI::V5,
        _ => ABI::V6,
    })
}
