//! What a job uses at this moment, read from `/proc`.

use crate::os;
use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

/// Sums over all processes of a job; the helpers are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sample {
    /// Processes and threads.
    pub(crate) tasks: u64,
    /// Bytes; pages that processes share are counted once for each.
    pub(crate) resident: u64,
    pub(crate) cpu: Duration,
    /// There are processes, of one thread each, and all sleep.
    pub(crate) asleep: bool,
}

/// The fields of `/proc/<pid>/stat` that matter here.
struct Stat {
    state: char,
    parent: u32,
    ticks: u64,
    threads: u64,
    pages: u64,
}

impl Stat {
    /// Neither runs nor wants to. The state is that of the first thread alone, which may have ended and left others.
    fn is_asleep(&self) -> bool {
        "SZ".contains(self.state) && self.threads <= 1
    }
}

/// The processes of the job, without its helpers; not many more than `enough`, as a fork bomb grows faster than one
/// can count.
pub(crate) fn members(keeper: u32, has_init: bool, enough: usize) -> Vec<u32> {
    if !has_init {
        return descendants(keeper, enough);
    }
    children(keeper).first().map_or_else(Vec::new, |&init| descendants(init, enough))
}

/// Adds up what the processes use now.
pub(crate) fn sample(members: &[u32]) -> Sample {
    let (page, ticks) = (os::page_size(), os::clock_ticks());
    let mut total = Sample { asleep: !members.is_empty(), ..Sample::default() };
    for stat in members.iter().filter_map(|&pid| stat(pid)) {
        total.tasks += stat.threads;
        total.asleep &= stat.is_asleep();
        total.resident += stat.pages * page;
        total.cpu += Duration::from_millis(stat.ticks * 1000 / ticks);
    }
    total
}

/// Bytes that the processes hold together, shared pages counted once. Exact and slow: only to confirm a suspicion.
pub(crate) fn proportional(members: &[u32]) -> Option<u64> {
    let mut total = 0;
    for pid in members {
        let Ok(rollup) = read(&format!("/proc/{pid}/smaps_rollup")) else { continue };
        let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:"))?;
        total += line.trim().trim_end_matches(" kB").parse::<u64>().ok()? * 1024;
    }
    Some(total)
}

/// The processes below this one, parents before children, until there are `enough`.
pub(crate) fn descendants(root: u32, enough: usize) -> Vec<u32> {
    if !fs::exists("/proc/thread-self/children").unwrap_or(false) {
        return descendants_by_scan(root);
    }
    let mut found = children(root);
    let mut next = 0;
    while let Some(&pid) = found.get(next)
        && found.len() <= enough
    {
        found.extend(children(pid));
        next += 1;
    }
    found
}

/// The parent of a process, if there is such a process.
pub(crate) fn parent(pid: u32) -> Option<u32> {
    stat(pid).map(|stat| stat.parent)
}

/// The processes whose parent this one is.
pub(crate) fn children(pid: u32) -> Vec<u32> {
    let Ok(tasks) = fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    let mut found = Vec::new();
    for task in tasks.flatten() {
        let Ok(list) = fs_err::read_to_string(task.path().join("children")) else { continue };
        found.extend(list.split_ascii_whitespace().filter_map(|pid| pid.parse::<u32>().ok()));
    }
    found
}

/// For kernels without the lists of children: one pass over all processes of the machine.
fn descendants_by_scan(root: u32) -> Vec<u32> {
    let mut by_parent: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        if let Some(stat) = stat(pid) {
            by_parent.entry(stat.parent).or_default().push(pid);
        }
    }
    let mut found = vec![root];
    let mut next = 0;
    while let Some(pid) = found.get(next) {
        found.extend(by_parent.remove(pid).unwrap_or_default());
        next += 1;
    }
    found.split_off(1)
}

fn stat(pid: u32) -> Option<Stat> {
    parse_stat(&read(&format!("/proc/{pid}/stat")).ok()?)
}

fn parse_stat(line: &str) -> Option<Stat> {
    // The name stands in brackets and may hold brackets and blanks itself.
    let (_, rest) = line.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    // Field 3 of proc(5), the state, is the first here.
    let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
    Some(Stat {
        state: fields.first()?.chars().next()?,
        parent: u32::try_from(field(4)?).ok()?,
        ticks: field(14)? + field(15)? + field(16)? + field(17)?,
        threads: field(20)?,
        pages: field(24)?,
    })
}

fn read(path: &str) -> std::io::Result<String> {
    fs_err::read_to_string(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_name_with_brackets_and_blanks_does_not_shift_the_fields() {
        let line = "42 (a ) (b c) S 7 42 42 0 -1 4194304 1 2 3 4 100 20 3 4 20 0 9 0 555 1000 77 0 0";
        let stat = parse_stat(line).unwrap();
        assert_eq!((stat.parent, stat.ticks, stat.threads, stat.pages), (7, 127, 9, 77));
        assert!(stat.state == 'S' && !stat.is_asleep(), "one of its threads may run");
    }

    #[test]
    fn both_ways_to_find_descendants_agree() {
        let own = std::process::id();
        let by_lists = children(own);
        let by_scan = descendants_by_scan(own);
        assert!(by_lists.iter().all(|pid| by_scan.contains(pid)));
        assert!(sample(&[own]).resident > 0);
        assert!(proportional(&[own]).is_some());
    }
}
