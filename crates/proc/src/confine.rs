//! What a job may touch.

use camino::Utf8PathBuf;

/// How a job is shut in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Confinement {
    /// Limits and an end for the whole process tree, nothing else: build tools, compilers, `git`.
    Open,
    /// Everything that runs subject code.
    Sandboxed(SandboxSpec),
}

/// The holes in the sandbox. Without any, a job reads the system's programs and libraries and writes nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SandboxSpec {
    /// Files and folders that can be read and executed beyond the system's own.
    /// Those that do not exist are left out, as class paths often name some.
    pub read: Vec<Utf8PathBuf>,
    /// Folders that can be read and written; they must exist. [`crate::Limits::scratch_total`] counts them.
    pub write: Vec<Utf8PathBuf>,
    /// A folder that the job finds as `/tmp`, where the kernel allows that; it must exist, below one of those that can be
    /// written. Without it nothing can be written to `/tmp`, and many a script does that without asking `TMPDIR`.
    pub temporary: Option<Utf8PathBuf>,
    /// Whether the job has a loopback interface of its own. Ports on it are private to the job.
    pub loopback: bool,
}

impl SandboxSpec {
    /// One private writable folder and loopback: what most subject code wants.
    pub fn scratch(folder: impl Into<Utf8PathBuf>) -> Self {
        Self { write: vec![folder.into()], loopback: true, ..Self::default() }
    }

    /// Adds a file or folder that can be read.
    #[must_use]
    pub fn read(mut self, path: impl Into<Utf8PathBuf>) -> Self {
        self.read.push(path.into());
        self
    }

    /// Lets the job find this folder as `/tmp`.
    #[must_use]
    pub fn temporary(mut self, folder: impl Into<Utf8PathBuf>) -> Self {
        self.temporary = Some(folder.into());
        self
    }

    /// Adds a folder that can be written.
    #[must_use]
    pub fn write(mut self, path: impl Into<Utf8PathBuf>) -> Self {
        self.write.push(path.into());
        self
    }
}

/// Readable and executable in every sandbox: what programs need in order to start, and nothing of a user's.
pub(crate) const SYSTEM_READ: &[&str] = &[
    "/usr",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/bin",
    "/sbin",
    "/opt",
    "/nix/store",
    "/gnu/store",
    "/proc",
    "/sys",
    "/dev/random",
    "/dev/urandom",
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/ca-certificates.conf",
    "/etc/fonts",
    "/etc/group",
    "/etc/host.conf",
    "/etc/hosts",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/ld.so.preload",
    "/etc/locale.alias",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/os-release",
    "/etc/passwd",
    "/etc/pki",
    "/etc/protocols",
    "/etc/resolv.conf",
    "/etc/services",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/timezone",
];

/// Names in `/etc` that begin so are Java's own configuration (`java-17-openjdk`, `java`, `.java`).
pub(crate) const ETC_PREFIXES: &[&str] = &["java", ".java", "jvm"];

/// Devices without memory: writing to them changes nothing.
pub(crate) const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full"];
