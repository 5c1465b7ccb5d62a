//! The cache from outside: races, crashes, clean-up.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use bonafix_store::{Cache, InsertError, Inserted, Key, KeyBuilder, StoreError};
use camino::{Utf8Path, Utf8PathBuf};

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn root(&self) -> Utf8PathBuf {
        Utf8Path::from_path(self.0.path()).unwrap().canonicalize_utf8().unwrap().join("cache")
    }

    fn open(&self) -> Cache {
        Cache::open(&self.root()).unwrap()
    }

    fn names(&self, below: &str) -> Vec<String> {
        let entries = fs_err::read_dir(self.root().join(below)).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

fn key(name: &str) -> Key {
    KeyBuilder::new("test").part("name", name).finish()
}

fn insert(cache: &Cache, name: &str, contents: &str) -> Inserted<()> {
    let build = |folder: &Utf8Path| {
        fs_err::create_dir(folder.join("classes")).unwrap();
        fs_err::write(folder.join("classes/A.class"), contents).unwrap();
        Ok::<_, Infallible>(())
    };
    cache.insert_with("java", &key(name), build).unwrap()
}

/// Makes an entry look as if it was last used so many hours ago.
fn age(entry: &Utf8Path, hours: u64) {
    let used = entry.parent().unwrap().join("used");
    let file = fs_err::File::options().write(true).open(used).unwrap();
    file.file().set_modified(SystemTime::now() - Duration::from_hours(hours)).unwrap();
}

#[test]
fn what_was_built_is_found_again_and_not_built_twice() {
    let folder = Folder::new();
    let cache = folder.open();
    assert_eq!(cache.entry("java", &key("a")), None);
    let first = insert(&cache, "a", "1");
    assert!(first.built.is_some());
    let again = insert(&folder.open(), "a", "2");
    assert_eq!(again, Inserted { path: first.path.clone(), built: None });
    assert_eq!(cache.entry("java", &key("a")), Some(first.path.clone()));
    assert_eq!(cache.entry("c", &key("a")), None, "another kind");
    assert_eq!(fs_err::read_to_string(first.path.join("classes/A.class")).unwrap(), "1");
    assert_eq!(folder.names("staging"), Vec::<String>::new());
    assert_eq!(folder.names("locks"), Vec::<String>::new());
}

#[test]
fn a_failed_build_leaves_nothing_and_its_error_comes_through() {
    let folder = Folder::new();
    let cache = folder.open();
    let build = |staging: &Utf8Path| {
        fs_err::write(staging.join("half"), "x").unwrap();
        Err::<(), _>("does not compile")
    };
    let error = cache.insert_with("java", &key("a"), build).unwrap_err();
    assert!(matches!(&error, InsertError::Build("does not compile")));
    assert_eq!(error.unify(|_| "fault"), "does not compile");
    assert_eq!(cache.entry("java", &key("a")), None);
    assert_eq!(folder.names("staging"), Vec::<String>::new());
    assert!(insert(&cache, "a", "1").built.is_some());
}

#[test]
fn a_build_that_panics_leaves_nothing_and_blocks_nobody() {
    let folder = Folder::new();
    let cache = folder.open();
    let panics = std::panic::AssertUnwindSafe(|| {
        cache.insert_with("java", &key("a"), |_| -> Result<(), Infallible> {
            panic!("a fault of the builder")
        })
    });
    std::panic::catch_unwind(panics).unwrap_err();
    assert_eq!(folder.names("staging"), Vec::<String>::new());
    assert!(insert(&cache, "a", "1").built.is_some());
}

#[test]
fn the_same_key_is_built_once_however_many_want_it() {
    let folder = Folder::new();
    let builds = AtomicUsize::new(0);
    let want = || {
        // A cache of its own, as in another process.
        let cache = folder.open();
        let build = |staging: &Utf8Path| {
            builds.fetch_add(1, Ordering::SeqCst);
            assert_eq!(cache.entry("java", &key("a")), None, "not visible before it is whole");
            std::thread::sleep(Duration::from_millis(50));
            fs_err::write(staging.join("A.class"), "1")
        };
        let inserted = cache.insert_with("java", &key("a"), build).unwrap();
        assert_eq!(fs_err::read_to_string(inserted.path.join("A.class")).unwrap(), "1");
    };
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(want);
        }
    });
    assert_eq!(builds.load(Ordering::SeqCst), 1);
    assert_eq!(folder.names("locks"), Vec::<String>::new());
}

#[test]
fn different_keys_are_built_at_the_same_time_even_inside_of_each_other() {
    let folder = Folder::new();
    let cache = folder.open();
    let outer = |staging: &Utf8Path| {
        insert(&cache, "inner", "1");
        fs_err::write(staging.join("x"), "")
    };
    cache.insert_with("java", &key("outer"), outer).unwrap();
    assert!(cache.entry("java", &key("inner")).is_some());
}

#[test]
fn waiting_for_another_build_ends_when_the_user_says_so() {
    let folder = Folder::new();
    let (cache, waiting) = (folder.open(), folder.open().stop_waiting_when(|| true));
    let outer = |_: &Utf8Path| {
        let inner = waiting.insert_with("java", &key("a"), |_| Ok::<_, Infallible>(()));
        assert!(matches!(inner, Err(InsertError::Store(StoreError::Interrupted { .. }))));
        Ok::<_, Infallible>(())
    };
    cache.insert_with("java", &key("a"), outer).unwrap();
}

#[test]
fn an_entry_from_which_something_is_missing_is_built_again() {
    let folder = Folder::new();
    let cache = folder.open();
    let path = insert(&cache, "a", "contents").path;
    fs_err::write(path.join("classes/A.class"), "").unwrap();
    assert_eq!(cache.entry("java", &key("a")), None);
    let again = insert(&cache, "a", "contents");
    assert!(again.built.is_some());
    assert_eq!(fs_err::read_to_string(again.path.join("classes/A.class")).unwrap(), "contents");
}

#[test]
fn staging_of_a_crashed_process_is_swept_after_a_day() {
    let folder = Folder::new();
    drop(folder.open());
    for (name, hours) in [("1-0", 25), ("1-1", 1)] {
        let path = folder.root().join("staging").join(name);
        fs_err::create_dir(&path).unwrap();
        fs_err::write(path.join("junk"), "x").unwrap();
        let file = fs_err::File::open(&path).unwrap();
        file.file().set_modified(SystemTime::now() - Duration::from_hours(hours)).unwrap();
    }
    drop(folder.open());
    assert_eq!(folder.names("staging"), ["1-1"]);
}

#[test]
fn a_clean_up_removes_what_was_not_used_for_longest() {
    let folder = Folder::new();
    let first = folder.open();
    let paths = ["a", "b", "c"].map(|name| insert(&first, name, "1234567890").path);
    for (path, hours) in paths.iter().zip([1, 3, 2]) {
        age(path, hours);
    }
    drop(first);
    let cache = folder.open();
    let pruned = cache.prune(25).unwrap();
    assert_eq!((pruned.removed, pruned.freed, pruned.left), (1, 10, 20));
    assert_eq!(paths.map(|path| path.exists()), [true, false, true]);
    assert_eq!(cache.prune(0).unwrap().left, 0);
    assert_eq!(folder.names("staging"), Vec::<String>::new());
}

#[test]
fn a_clean_up_leaves_what_a_living_process_may_hold() {
    let folder = Folder::new();
    let (user, cleaner) = (folder.open(), folder.open());
    let held = insert(&user, "held", "1").path;
    let old = insert(&user, "old", "1").path;
    age(&old, 1);
    let found = insert(&user, "found", "1").path;
    age(&found, 1);
    user.entry("java", &key("found")).unwrap();
    assert_eq!(cleaner.prune(0).unwrap().removed, 1);
    assert_eq!([held, old, found].map(|path| path.exists()), [true, false, true]);
    drop((user, cleaner));
    assert_eq!(folder.open().prune(0).unwrap().removed, 2, "nobody holds them any more");
}

#[test]
fn a_root_that_cannot_be_made_is_named_with_the_way_out() {
    let folder = Folder::new();
    let file = folder.root().with_file_name("file");
    fs_err::write(&file, "").unwrap();
    for root in [file.join("cache"), Utf8PathBuf::from("/proc/cache")] {
        let text = Cache::open(&root).unwrap_err().to_string();
        assert!(text.contains(root.as_str()) && text.contains("BONAFIX_CACHE=DIR"), "{text}");
    }
}
