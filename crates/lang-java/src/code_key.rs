//! What a version executes, as a key: patches whose sources differ and whose instructions do not have the same one.
//!
//! Line numbers, names of local variables and the order of constants are no part of it: javac leaves nothing of a comment, of
//! `if (false) { … }` or of a constant written otherwise. A class file that cannot be read counts as it is.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use bonafix_store::KeyBuilder;
use cafebabe::attributes::AttributeData;
use cafebabe::{MethodInfo, ParseOptions};
use camino::{Utf8Path, Utf8PathBuf};
use walkdir::WalkDir;

/// The key of a version in `folders`, of which those in `base` are the buggy version's own.
pub(crate) fn of_folders(folders: &[Utf8PathBuf], base: &[Utf8PathBuf]) -> std::io::Result<String> {
    let mut changed: BTreeMap<Utf8PathBuf, Vec<u8>> = BTreeMap::new();
    for folder in folders.iter().filter(|folder| !base.contains(folder)) {
        for (name, bytes) in classes(folder)? {
            changed.entry(name).or_insert(bytes);
        }
    }
    let mut key = KeyBuilder::new("code");
    for (name, bytes) in changed {
        let before = base.iter().map(|folder| folder.join(&name)).find(|path| path.is_file());
        let before = before.map(fs_err::read).transpose()?;
        let code = instructions(&bytes);
        if before.is_none_or(|before| instructions(&before) != code) {
            key = key.part("class", name.as_str()).part("code", code);
        }
    }
    Ok(key.finish().as_str().to_owned())
}

fn classes(folder: &Utf8Path) -> std::io::Result<Vec<(Utf8PathBuf, Vec<u8>)>> {
    let files = WalkDir::new(folder).into_iter().filter_map(Result::ok);
    let paths = files.filter_map(|entry| Utf8PathBuf::from_path_buf(entry.into_path()).ok());
    paths
        .filter(|path| path.extension() == Some("class"))
        .map(|path| {
            let name = path.strip_prefix(folder).unwrap_or(&path).to_owned();
            Ok((name, fs_err::read(path)?))
        })
        .collect()
}

/// The methods of a class with their instructions, and what they refer to by name.
fn instructions(bytes: &[u8]) -> Vec<u8> {
    let Ok(class) = cafebabe::parse_class_with_options(bytes, ParseOptions::default().parse_bytecode(true))
    else {
        return bytes.to_vec();
    };
    let mut text = String::new();
    for method in &class.methods {
        let _ = write!(text, "{:?} {} {} ", method.access_flags, method.name, method.descriptor);
        describe(method, &mut text);
    }
    for field in &class.fields {
        let _ = writeln!(text, "{:?} {} {}", field.access_flags, field.name, field.descriptor);
    }
    text.into_bytes()
}

fn describe(method: &MethodInfo<'_>, text: &mut String) {
    for attribute in &method.attributes {
        if let AttributeData::Code(code) = &attribute.data {
            let handlers = code.exception_table.iter().map(|handler| {
                format!(
                    "{}-{} {} {:?}",
                    handler.start_pc, handler.end_pc, handler.handler_pc, handler.catch_type
                )
            });
            let handlers: Vec<String> = handlers.collect();
            let _ = writeln!(text, "{:?} {handlers:?}", code.bytecode);
        }
    }
}
