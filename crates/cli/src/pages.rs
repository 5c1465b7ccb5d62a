//! Pages that are made from the arguments and the types: completions, manual, schemas.

use bonafix_model::ExitCode;
use bonafix_report::json;
use clap::CommandFactory;
use clap_complete::Shell;

use crate::arguments::{Arguments, SchemaOf};
use crate::output::{complain, print};

pub(crate) fn completions(shell: Shell) -> ExitCode {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "bonafix", &mut text);
    print(&String::from_utf8_lossy(&text), ExitCode::Unrefuted)
}

pub(crate) fn man() -> ExitCode {
    let mut text = Vec::new();
    let command = Arguments::command();
    let mut rendered = clap_mangen::Man::new(command.clone()).render(&mut text);
    for sub in command.get_subcommands() {
        let sub = sub.clone().display_name(format!("bonafix-{}", sub.get_name()));
        rendered = rendered.and_then(|()| clap_mangen::Man::new(sub).render(&mut text));
    }
    if let Err(error) = rendered {
        complain(&format!("cannot write the manual page: {error}"));
        return ExitCode::Internal;
    }
    print(&String::from_utf8_lossy(&text), ExitCode::Unrefuted)
}

pub(crate) fn schema(which: SchemaOf) -> ExitCode {
    let schema = match which {
        SchemaOf::Report => json::schema(),
        SchemaOf::Project => json::project_schema(),
        SchemaOf::Case => json::case_schema(),
    };
    print(&format!("{schema:#}\n"), ExitCode::Unrefuted)
}
