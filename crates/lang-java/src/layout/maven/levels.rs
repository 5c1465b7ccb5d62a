//! Language levels that stand in a POM as plain numbers, where no property reaches them. Only the private copy is edited.

use camino::{Utf8Path, Utf8PathBuf};

use crate::toolchain::parse_level;

/// Elements that hold a level, in the compiler plugin's configuration and among properties.
const ELEMENTS: [&str; 9] = [
    "source",
    "target",
    "release",
    "testSource",
    "testTarget",
    "maven.compiler.source",
    "maven.compiler.target",
    "maven.compile.source",
    "maven.compile.target",
];

/// Raises every level below `oldest` in the POMs of these folders; says whether there was any.
pub(super) fn raise(root: &Utf8Path, folders: &[Utf8PathBuf], oldest: u32) -> std::io::Result<bool> {
    let mut raised = false;
    for folder in folders.iter().map(|folder| root.join(folder)).chain([root.to_owned()]) {
        let file = folder.join("pom.xml");
        if !file.is_file() {
            continue;
        }
        let text = fs_err::read_to_string(&file)?;
        let mended = raise_in(&text, oldest);
        if mended != text {
            fs_err::write(&file, mended)?;
            raised = true;
        }
    }
    Ok(raised)
}

fn raise_in(text: &str, oldest: u32) -> String {
    ELEMENTS.iter().fold(text.to_owned(), |text, element| {
        let (open, close) = (format!("<{element}>"), format!("</{element}>"));
        let mut pieces = text.split(&open);
        let mut mended = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            mended.push_str(&open);
            match piece.split_once(&close) {
                Some((value, rest)) if parse_level(value.trim()).is_some_and(|level| level < oldest) => {
                    mended.push_str(&oldest.to_string());
                    mended.push_str(&close);
                    mended.push_str(rest);
                }
                _ => mended.push_str(piece),
            }
        }
        mended
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_that_the_jdk_lacks_are_raised_and_all_else_stays() {
        let text = "<source>1.5</source><target> 5 </target><release>8</release><source>src/java</source>\n<maven.compile.source>1.4</maven.compile.source>";
        assert_eq!(
            raise_in(text, 7),
            "<source>7</source><target>7</target><release>8</release><source>src/java</source>\n<maven.compile.source>7</maven.compile.source>"
        );
    }
}
