//! Where the tree and its build products are.

use anyhow::{Context, Result};
use camino::{Utf8Path, Utf8PathBuf};

/// The folders that commands work with.
#[derive(Debug, Clone)]
pub(crate) struct Workspace {
    /// The checkout.
    pub(crate) root: Utf8PathBuf,
    /// Cargo's target folder.
    pub(crate) target: Utf8PathBuf,
}

impl Workspace {
    /// The workspace that cargo runs this program for. Where it was built may be another: two checkouts can share a target
    /// folder.
    pub(crate) fn find() -> Result<Self> {
        let manifest =
            std::env::var("CARGO_MANIFEST_DIR").unwrap_or_else(|_| env!("CARGO_MANIFEST_DIR").to_owned());
        let manifest = Utf8Path::new(&manifest);
        let root = manifest.parent().context("find the folder above xtask")?.to_owned();
        let target = match std::env::var("CARGO_TARGET_DIR") {
            Ok(folder) => root.join(folder),
            Err(_) => root.join("target"),
        };
        Ok(Self { root, target })
    }

    /// A folder for what the chores themselves leave behind; `cargo clean` takes it away.
    pub(crate) fn scratch(&self, name: &str) -> Result<Utf8PathBuf> {
        let folder = self.target.join("xtask").join(name);
        fs_err::create_dir_all(&folder)?;
        Ok(folder)
    }

    /// The release binary of the product.
    pub(crate) fn bonafix(&self) -> Utf8PathBuf {
        self.target.join("release").join("bonafix")
    }
}
