//! Digests and copies of folders, with everything odd that a subject's folder can hold.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, SystemTime};

use bonafix_store::{copy_tree, digest_tree};
use camino::{Utf8Path, Utf8PathBuf};
use fs_err::os::unix::fs::symlink;

struct Tree(tempfile::TempDir);

impl Tree {
    fn new() -> Self {
        let tree = Self(tempfile::tempdir().unwrap());
        fs_err::create_dir_all(tree.path("from/src/empty")).unwrap();
        fs_err::write(tree.path("from/src/A.java"), "class A {}").unwrap();
        fs_err::write(tree.path("from/build.sh"), "#!/bin/sh").unwrap();
        fs_err::set_permissions(tree.path("from/build.sh"), PermissionsExt::from_mode(0o555)).unwrap();
        tree
    }

    fn path(&self, below: &str) -> Utf8PathBuf {
        Utf8Path::from_path(self.0.path()).unwrap().join(below)
    }

    fn digest(&self, below: &str) -> String {
        digest_tree(&self.path(below), &|_| false).unwrap().hash
    }
}

#[test]
fn the_digest_of_a_tree_is_the_same_in_every_version_of_bonafix() {
    let digest = digest_tree(&Tree::new().path("from"), &|_| false).unwrap();
    assert_eq!((digest.files, digest.bytes), (2, 19));
    assert_eq!(digest.hash, "b2691fec9efd26d6eba44655bcacf5c4fd62e0f8feeaf1c86f70d02fadb7d40c");
}

#[test]
fn a_copy_has_the_digest_of_its_original_and_its_times() {
    let tree = Tree::new();
    let old = SystemTime::now() - Duration::from_hours(1000);
    fs_err::File::options()
        .write(true)
        .open(tree.path("from/src/A.java"))
        .unwrap()
        .file()
        .set_modified(old)
        .unwrap();
    let report = copy_tree(&tree.path("from"), &tree.path("to"), &|_| false).unwrap();
    assert_eq!((report.files, report.bytes, report.left_out.len()), (2, 19, 0));
    assert_eq!(tree.digest("from"), tree.digest("to"));
    assert_eq!(fs_err::metadata(tree.path("to/src/A.java")).unwrap().modified().unwrap(), old);
    assert!(tree.path("to/src/empty").is_dir());
    let mode = fs_err::metadata(tree.path("to/build.sh")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o755, "executable as before, and the copy can be written to");
}

#[test]
fn contents_names_exec_bits_and_link_targets_all_count() {
    let tree = Tree::new();
    symlink("src", tree.path("from/link")).unwrap();
    let mut seen = vec![tree.digest("from")];
    let mut differs = |what: &str| {
        let digest = tree.digest("from");
        assert!(!seen.contains(&digest), "{what}");
        seen.push(digest);
    };
    fs_err::write(tree.path("from/src/A.java"), "class B {}").unwrap();
    differs("contents");
    fs_err::rename(tree.path("from/src/A.java"), tree.path("from/src/B.java")).unwrap();
    differs("name");
    fs_err::set_permissions(tree.path("from/build.sh"), PermissionsExt::from_mode(0o644)).unwrap();
    differs("exec bit");
    fs_err::remove_file(tree.path("from/link")).unwrap();
    symlink("src/empty", tree.path("from/link")).unwrap();
    differs("target");
}

#[test]
fn what_is_skipped_is_neither_digested_nor_copied() {
    let tree = Tree::new();
    let before = tree.digest("from");
    fs_err::create_dir_all(tree.path("from/.git/objects")).unwrap();
    fs_err::write(tree.path("from/.git/HEAD"), "x").unwrap();
    let skip = |path: &Utf8Path| path == ".git";
    assert_eq!(digest_tree(&tree.path("from"), &skip).unwrap().hash, before);
    copy_tree(&tree.path("from"), &tree.path("to"), &skip).unwrap();
    assert_eq!(tree.digest("to"), before);
    assert!(!tree.path("to/.git").exists());
}

#[test]
fn links_that_stay_inside_are_kept_and_those_that_lead_out_are_named() {
    let tree = Tree::new();
    fs_err::write(tree.path("secret"), "").unwrap();
    let link = |target: &str, name: &str| symlink(target, tree.path("from").join(name)).unwrap();
    link("A.java", "src/inside");
    link("../build.sh", "src/up");
    link("nowhere", "src/dangling");
    link(tree.path("from/build.sh").as_str(), "src/absolute");
    link("../../secret", "src/out");
    link("/etc/passwd", "src/passwd");
    // Inside by its words: but `self` is the root, and `..` of it is outside.
    link("..", "src/self");
    link("src/self/../secret", "detour");
    let report = copy_tree(&tree.path("from"), &tree.path("to"), &|_| false).unwrap();
    let read = |name: &str| fs_err::read_link(tree.path("to/src").join(name)).unwrap();
    assert_eq!(read("inside"), OsStr::new("A.java"));
    assert_eq!(read("up"), OsStr::new("../build.sh"));
    assert_eq!(read("dangling"), OsStr::new("nowhere"));
    assert_eq!(read("absolute"), OsStr::new("../build.sh"));
    let out = |name: &str| format!("{name}: a link that leads out of the folder");
    assert_eq!(report.left_out, [out("detour"), out("src/out"), out("src/passwd")]);
}

#[test]
fn a_link_to_a_folder_above_does_not_make_the_walk_endless() {
    let tree = Tree::new();
    symlink("..", tree.path("from/src/loop")).unwrap();
    copy_tree(&tree.path("from"), &tree.path("to"), &|_| false).unwrap();
    assert_eq!(tree.digest("from"), tree.digest("to"));
}

#[test]
fn names_that_are_not_utf8_are_digested_and_copied() {
    let tree = Tree::new();
    let before = tree.digest("from");
    let name = OsStr::from_bytes(b"caf\xe9.txt");
    fs_err::write(tree.path("from").as_std_path().join(name), "x").unwrap();
    copy_tree(&tree.path("from"), &tree.path("to"), &|_| false).unwrap();
    assert!(tree.path("to").as_std_path().join(name).exists());
    assert_ne!(tree.digest("from"), before);
    assert_eq!(tree.digest("from"), tree.digest("to"));
}

#[test]
fn a_copy_into_a_folder_of_the_original_does_not_contain_itself() {
    let tree = Tree::new();
    let to = tree.path("from/target/copy");
    copy_tree(&tree.path("from"), &to, &|_| false).unwrap();
    assert!(to.join("src/A.java").exists());
    assert!(!to.join("target/copy").exists());
}

#[test]
fn a_socket_is_left_out_and_named() {
    let tree = Tree::new();
    let _socket = std::os::unix::net::UnixListener::bind(tree.path("from/socket")).unwrap();
    let report = copy_tree(&tree.path("from"), &tree.path("to"), &|_| false).unwrap();
    assert_eq!(report.left_out, ["socket: neither a file nor a folder nor a link"]);
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let error = digest_tree(Utf8Path::new("/nowhere/at/all"), &|_| false).unwrap_err();
    assert!(error.to_string().contains("/nowhere/at/all"), "{error}");
}

/// `cargo test --release -p bonafix-store --test tree -- --ignored --nocapture`
#[test]
#[ignore = "a measurement"]
fn how_fast_a_tree_is_digested() {
    let tree = Tree::new();
    for number in 0..2000 {
        fs_err::write(tree.path("from/src").join(format!("{number}.java")), vec![b'x'; 50_000]).unwrap();
    }
    let start = std::time::Instant::now();
    let digest = digest_tree(&tree.path("from"), &|_| false).unwrap();
    let bytes = u32::try_from(digest.bytes).unwrap();
    println!("digest: {:.0} MB/s", f64::from(bytes) / 1e6 / start.elapsed().as_secs_f64());
    let start = std::time::Instant::now();
    copy_tree(&tree.path("from"), &tree.path("to"), &|_| false).unwrap();
    println!("copy: {:.0} MB/s", f64::from(bytes) / 1e6 / start.elapsed().as_secs_f64());
}
