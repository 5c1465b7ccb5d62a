//! A control group for the number of processes: what binds root, whom `RLIMIT_NPROC` does not.

use camino::{Utf8Path, Utf8PathBuf};
use fs_err as fs;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

const PREFIX: &str = "bonafix-";

/// A control group of one job, removed on drop.
#[derive(Debug)]
pub(crate) struct PidsGroup {
    folder: Utf8PathBuf,
}

impl PidsGroup {
    /// Makes a group below `home` that holds at most `tasks` processes and threads.
    pub(crate) fn create(home: &Utf8Path, tasks: u32) -> io::Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let group = Self { folder: home.join(format!("{PREFIX}{}-{number}", std::process::id())) };
        fs::create_dir(&group.folder)?;
        fs::write(group.folder.join("pids.max"), tasks.to_string())?;
        Ok(group)
    }

    /// Where a process writes `0` to join.
    pub(crate) fn entrance(&self) -> io::Result<OwnedFd> {
        let file = fs::OpenOptions::new().write(true).open(self.folder.join("cgroup.procs"))?;
        Ok(file.into_parts().0.into())
    }

    /// Whether the kernel has refused a process.
    pub(crate) fn refused(&self) -> bool {
        let events = fs::read_to_string(self.folder.join("pids.events")).unwrap_or_default();
        events.lines().any(|line| line.strip_prefix("max ").is_some_and(|count| count.trim() != "0"))
    }
}

impl Drop for PidsGroup {
    fn drop(&mut self) {
        // The last process may still be on its way out of the group.
        for _ in 0..20 {
            match remove(&self.folder) {
                Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {}
                _ => return,
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// The folder below which this process can make groups with a process limit, if there is one.
pub(crate) fn find_home() -> Option<Utf8PathBuf> {
    let memberships = fs::read_to_string("/proc/self/cgroup").ok()?;
    let home = candidates(&memberships).into_iter().find(|folder| usable(folder))?;
    remove_stale(&home);
    Some(home)
}

/// Possible homes, nearest first: version 1 with its own hierarchy for processes, or one's own group of version 2 and
/// those above it. A group with processes in it cannot have limited ones below in version 2, its parent can.
fn candidates(memberships: &str) -> Vec<Utf8PathBuf> {
    let mut found = Vec::new();
    for line in memberships.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let path = path.trim_start_matches('/');
        if controllers.split(',').any(|name| name == "pids") {
            found.push(Utf8Path::new("/sys/fs/cgroup/pids").join(path));
        } else if controllers.is_empty() {
            let root = Utf8Path::new("/sys/fs/cgroup");
            let own = root.join(path);
            found.extend(own.ancestors().take_while(|above| above.starts_with(root)).map(Utf8Path::to_owned));
        }
    }
    found
}

fn usable(folder: &Utf8Path) -> bool {
    PidsGroup::create(folder, 16).is_ok_and(|group| group.entrance().is_ok())
}

/// Removes the groups of runs that were killed.
fn remove_stale(home: &Utf8Path) {
    let Ok(entries) = home.read_dir_utf8() else { return };
    for entry in entries.flatten() {
        let owner = entry.file_name().strip_prefix(PREFIX).and_then(|rest| rest.split_once('-'));
        if let Some((pid, _)) = owner
            && !Utf8Path::new("/proc").join(pid).exists()
        {
            let _ = remove(entry.path());
        }
    }
}

/// Removes a group with those that a killed bonafix inside it left behind; the kernel refuses while one is in use.
fn remove(folder: &Utf8Path) -> io::Result<()> {
    for entry in folder.read_dir_utf8().into_iter().flatten().flatten() {
        if entry.file_name().starts_with(PREFIX) {
            remove(entry.path())?;
        }
    }
    fs::remove_dir(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_one_hierarchy_is_taken_at_its_own_mount() {
        assert_eq!(candidates("8:pids:/a\n4:memory:/b\n"), ["/sys/fs/cgroup/pids/a"]);
    }

    #[test]
    fn a_version_two_group_is_tried_with_all_above_it() {
        let expected = ["/sys/fs/cgroup/user.slice/x", "/sys/fs/cgroup/user.slice", "/sys/fs/cgroup"];
        assert_eq!(candidates("0::/user.slice/x\n"), expected);
    }
}
