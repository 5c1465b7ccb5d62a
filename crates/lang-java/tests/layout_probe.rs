//! Describes any project on disk: `BONAFIX_PROBE=/path cargo test --test layout_probe -- --ignored --nocapture`.

use bonafix_lang_java::layout::{LayoutRequest, discover, launcher_jars};
use bonafix_lang_java::toolchain::Jdk;
use bonafix_model::JavaConfig;
use bonafix_proc::{Launcher, SandboxMode};
use camino::{Utf8Path, Utf8PathBuf};

#[test]
#[ignore = "needs a project to look at, named by BONAFIX_PROBE; builds in place"]
fn a_project_on_disk_is_described() {
    let root = Utf8PathBuf::from(std::env::var("BONAFIX_PROBE").unwrap());
    let folder = tempfile::tempdir().unwrap();
    let folder = Utf8Path::from_path(folder.path()).unwrap();
    let (config, jdk) = (JavaConfig::default(), Jdk::find(None).unwrap());
    let launcher = Launcher::new(SandboxMode::Off).unwrap();
    let (log, cache) = (folder.join("log"), folder.join("cache"));
    let request = LayoutRequest {
        root: &root,
        config: &config,
        jdk: &jdk,
        launcher: &launcher,
        log: &log,
        cache: &cache,
    };
    let started = std::time::Instant::now();
    let found = discover(&request);
    println!("took {:.1} s", started.elapsed().as_secs_f64());
    match found {
        Ok(layout) => {
            println!("{layout:#?}");
            for module in &layout.modules {
                println!("launcher of {}: {:?}", module.name, launcher_jars(&request, &module.classpath));
            }
        }
        Err(error) => println!("{error}\n{error:#?}"),
    }
}
