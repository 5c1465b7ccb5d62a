//! Turns Maven coordinates into jars, with all that they need in turn.
//!
//! Maven does it, on a POM that holds nothing but the coordinates. The answer is kept by content of the list and used
//! again as long as every jar is still there.

use bonafix_lang::LangError;
use camino::{Utf8Path, Utf8PathBuf};

use super::LayoutRequest;
use super::maven::call::{BUILD_CLASSPATH, Maven, unresolved};

/// Why jars are wanted, for messages about those that cannot be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// The user lists them.
    Configured,
    /// The tests import what is in them.
    Imported,
    /// The JUnit Platform needs them to run tests.
    Launching,
    /// The compiler is to run the annotation processors in them.
    Processing,
}

impl Wanted {
    /// The coordinates as part of a sentence.
    fn described(self, coordinates: &[String]) -> String {
        let list = coordinates.join(", ");
        match self {
            Self::Configured => "`java.dependencies`".to_owned(),
            Self::Imported => format!("{list}, which the tests import"),
            Self::Launching => format!("{list}, which running JUnit 5 tests takes"),
            Self::Processing => format!("{list}, for annotation processing"),
        }
    }

    /// What Maven is needed for.
    fn purpose(self, coordinates: &[String]) -> String {
        let verb = if self == Self::Configured { "resolve" } else { "fetch" };
        format!("to {verb} {}", self.described(coordinates))
    }

    /// Who needs what Maven could not get.
    fn needing(self, coordinates: &[String]) -> String {
        if self == Self::Configured { self.described(coordinates) } else { coordinates.join(", ") }
    }

    fn way_out(self) -> &'static str {
        match self {
            Self::Configured => ", or list the jars in `java.classpath` instead",
            Self::Imported | Self::Launching => {
                ", or list its jar and those that it needs in `java.classpath` in bonafix.toml"
            }
            Self::Processing => "",
        }
    }
}

/// The jars of these coordinates (`group:artifact:version`, or with type and classifier before the version), in class
/// path order.
pub(crate) fn resolve(
    request: &LayoutRequest,
    coordinates: &[String],
    wanted: Wanted,
) -> Result<Vec<Utf8PathBuf>, LangError> {
    if coordinates.is_empty() {
        return Ok(Vec::new());
    }
    let pom = pom(coordinates)?;
    let file = cache_file(request.cache, &pom);
    if let Some(jars) = cached(&file) {
        return Ok(jars);
    }
    let maven = Maven::find(request, &wanted.purpose(coordinates), wanted.way_out())?;
    let folder = tempfile::tempdir()?;
    let folder = Utf8Path::from_path(folder.path()).ok_or_else(|| {
        LangError::Internal("the folder for temporary files has a name that is no text".to_owned())
    })?;
    fs_err::write(folder.join("pom.xml"), &pom)?;
    let arguments = [BUILD_CLASSPATH.to_owned(), "-Dmdep.outputFile=classpath.txt".to_owned()];
    if let Err(failure) = maven.run(folder, &arguments)? {
        return Err(unresolved(&failure, &wanted.needing(coordinates)));
    }
    let text = fs_err::read_to_string(folder.join("classpath.txt"))?;
    fs_err::create_dir_all(request.cache)?;
    fs_err::write(&file, &text)?;
    Ok(parse_classpath(&text))
}

/// Entries of a class path, in order.
pub(crate) fn parse_classpath(text: &str) -> Vec<Utf8PathBuf> {
    text.trim().split(':').filter(|entry| !entry.is_empty()).map(Utf8PathBuf::from).collect()
}

fn cache_file(cache: &Utf8Path, pom: &str) -> Utf8PathBuf {
    cache.join(format!("classpath-{}.txt", &blake3::hash(pom.as_bytes()).to_hex()[..24]))
}

fn cached(file: &Utf8Path) -> Option<Vec<Utf8PathBuf>> {
    let jars = parse_classpath(&fs_err::read_to_string(file).ok()?);
    (!jars.is_empty() && jars.iter().all(|jar| jar.exists())).then_some(jars)
}

/// A POM that depends on the coordinates and nothing else.
fn pom(coordinates: &[String]) -> Result<String, LangError> {
    let mut dependencies = String::new();
    for coordinate in coordinates {
        let dependency = dependency(coordinate).ok_or_else(|| LangError::Configuration {
            message: format!(
                "`java.dependencies`: `{coordinate}` is not `group:artifact:version` (with type and classifier: \
                 `group:artifact:type:classifier:version`)"
            ),
        })?;
        dependencies.push_str(&dependency);
    }
    Ok(format!(
        "<project xmlns=\"http://maven.apache.org/POM/4.0.0\">\n<modelVersion>4.0.0</modelVersion>\n\
         <groupId>bonafix</groupId>\n<artifactId>dependencies</artifactId>\n<version>1</version>\n\
         <packaging>pom</packaging>\n<dependencies>\n{dependencies}</dependencies>\n</project>\n"
    ))
}

fn dependency(coordinate: &str) -> Option<String> {
    let parts: Vec<&str> = coordinate.trim().split(':').collect();
    let valid = |part: &&str| {
        !part.is_empty()
            && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '+'))
    };
    if !parts.iter().all(valid) {
        return None;
    }
    let (rest, version) = match parts.as_slice() {
        [_, _, version] => (String::new(), version),
        [_, _, kind, version] => (format!("<type>{kind}</type>"), version),
        [_, _, kind, classifier, version] => {
            (format!("<type>{kind}</type><classifier>{classifier}</classifier>"), version)
        }
        _ => return None,
    };
    Some(format!(
        "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{version}</version>{rest}</dependency>\n",
        parts[0], parts[1]
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_of_three_to_five_parts_become_dependencies() {
        let pom = pom(&["junit:junit:4.13.2".to_owned(), "g:a:test-jar:tests:1.0".to_owned()]).unwrap();
        assert!(
            pom.contains("<artifactId>junit</artifactId><version>4.13.2</version></dependency>"),
            "{pom}"
        );
        assert!(
            pom.contains("<version>1.0</version><type>test-jar</type><classifier>tests</classifier>"),
            "{pom}"
        );
        assert!(roxmltree::Document::parse(&pom).is_ok());
    }

    #[test]
    fn only_what_the_user_has_listed_is_called_by_its_key() {
        let junit = ["junit:junit:4.13.2".to_owned()];
        assert_eq!(Wanted::Configured.purpose(&junit), "to resolve `java.dependencies`");
        assert_eq!(Wanted::Imported.purpose(&junit), "to fetch junit:junit:4.13.2, which the tests import");
        assert!(Wanted::Imported.way_out().contains("`java.classpath`"));
        for wanted in [Wanted::Imported, Wanted::Launching, Wanted::Processing] {
            let text = wanted.purpose(&junit) + &wanted.needing(&junit) + wanted.way_out();
            assert!(text.contains(&junit[0]) && !text.contains("java.dependencies"), "{text}");
        }
    }

    #[test]
    fn a_coordinate_that_is_none_is_an_error_that_names_the_key() {
        for bad in ["junit", "junit:junit", "a:b:c:d:e:f", "a:b:<1>", "a::1"] {
            let error = pom(&[bad.to_owned()]).unwrap_err().to_string();
            assert!(error.contains("java.dependencies") && error.contains(bad), "{error}");
        }
    }

    #[test]
    fn a_kept_answer_counts_only_while_its_jars_exist() {
        let folder = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(folder.path()).unwrap();
        let jar = folder.join("a.jar");
        let file = folder.join("classpath.txt");
        fs_err::write(&jar, "").unwrap();
        fs_err::write(&file, format!("{jar}\n")).unwrap();
        assert_eq!(cached(&file), Some(vec![jar.clone()]));
        fs_err::remove_file(jar).unwrap();
        assert_eq!(cached(&file), None);
    }
}
