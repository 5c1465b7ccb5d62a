//! `bonafix explain`, and the one list of what there is to explain.

use bonafix_model::ExitCode;
use bonafix_report::table;

use crate::arguments::{ExplainArguments, Topic};
use crate::output::print;

/// Something that judges patches, or orders them.
pub(crate) struct Page {
    pub(crate) topic: Topic,
    pub(crate) name: &'static str,
    pub(crate) needs: &'static str,
    /// Finds something for or against a patch, under this name in the report.
    pub(crate) judges: bool,
    /// Half a page, of which the first line is `name: what it does`.
    text: &'static str,
}

/// Everything that can be explained.
pub(crate) const PAGES: [Page; 6] = [
    Page {
        topic: Topic::Rgt,
        name: "rgt",
        needs: "a reference",
        judges: true,
        text: include_str!("explain/rgt.txt"),
    },
    Page {
        topic: Topic::PatchSim,
        name: "patch-sim",
        needs: "nothing",
        judges: true,
        text: include_str!("explain/patch-sim.txt"),
    },
    Page {
        topic: Topic::NewFailures,
        name: "new-failures",
        needs: "nothing",
        judges: true,
        text: include_str!("explain/new-failures.txt"),
    },
    Page {
        topic: Topic::Agreement,
        name: "agreement",
        needs: "several patches",
        judges: true,
        text: include_str!("explain/agreement.txt"),
    },
    Page {
        topic: Topic::Ranking,
        name: "ranking",
        needs: "several patches",
        judges: false,
        text: include_str!("explain/ranking.txt"),
    },
    Page {
        topic: Topic::Opad,
        name: "opad",
        needs: "a C program",
        judges: true,
        text: include_str!("explain/opad.txt"),
    },
];

impl Page {
    /// What it does, in a line.
    pub(crate) fn what(&self) -> &'static str {
        let line = self.text.lines().next().unwrap_or_default();
        line.split_once(": ").map_or(line, |(_, what)| what)
    }
}

pub(crate) fn run(arguments: &ExplainArguments) -> ExitCode {
    let text = match PAGES.iter().find(|page| Some(page.topic) == arguments.topic) {
        Some(page) => page.text.to_owned(),
        None => overview(),
    };
    print(&text, ExitCode::Unrefuted)
}

fn overview() -> String {
    let row = |page: &Page| vec![page.name.to_owned(), page.what().to_owned()];
    let rows: Vec<Vec<String>> = PAGES.iter().map(row).collect();
    format!("{}\n`bonafix explain NAME` tells more.\n", table::render(&["name", "what"], &rows))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::{CommandFactory, ValueEnum};

    use super::*;
    use crate::arguments::Arguments;

    #[test]
    fn every_topic_has_a_page_under_the_name_that_is_typed() {
        let typed: Vec<String> = Topic::value_variants()
            .iter()
            .map(|topic| topic.to_possible_value().unwrap().get_name().to_owned())
            .collect();
        assert_eq!(PAGES.map(|page| page.name).to_vec(), typed);
        for (page, topic) in PAGES.iter().zip(Topic::value_variants()) {
            assert_eq!(page.topic, *topic);
        }
    }

    #[test]
    fn a_page_is_half_a_page_with_the_same_parts_as_the_others() {
        for page in PAGES {
            assert!(page.text.starts_with(&format!("{}: {}\n\n", page.name, page.what())), "{}", page.name);
            let lines: Vec<&str> = page.text.lines().collect();
            assert!((25..=38).contains(&lines.len()), "{}: {} lines", page.name, lines.len());
            for line in &lines {
                assert!(line.chars().count() <= 90 && line.trim_end() == *line, "{}: `{line}`", page.name);
            }
            let heads = lines.iter().filter(|line| line.starts_with(|c: char| c.is_ascii_uppercase()));
            let parts = [
                "WHAT IT DOES",
                "WHAT IT NEEDS",
                "WHAT ITS VERDICT MEANS",
                "WHEN IT ERRS",
                "OPTIONS",
                "MORE",
            ];
            assert_eq!(heads.copied().collect::<Vec<_>>(), parts, "{}", page.name);
        }
    }

    fn words_with<'a>(text: &'a str, prefix: &'a str) -> impl Iterator<Item = &'a str> {
        let ends = |c: char| !c.is_alphanumeric() && !"-_./".contains(c);
        text.split(ends).filter(move |word| word.starts_with(prefix)).map(|word| word.trim_end_matches('.'))
    }

    #[test]
    fn options_and_documents_that_a_page_names_exist() {
        let command = Arguments::command();
        let check = command.find_subcommand("check").unwrap();
        let options: BTreeSet<String> =
            check.get_arguments().filter_map(|option| Some(format!("--{}", option.get_long()?))).collect();
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        for page in PAGES {
            assert!(words_with(page.text, "docs/").count() > 0, "{}", page.name);
            for option in words_with(page.text, "--") {
                assert!(options.contains(option), "{}: there is no {option}", page.name);
            }
            for document in words_with(page.text, "docs/") {
                assert!(camino::Utf8Path::new(root).join(document).is_file(), "{}: {document}", page.name);
            }
        }
    }
}
