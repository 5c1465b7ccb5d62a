//! The files in which processes leave what they ran, as `runtime/c/README.md` describes them. They come from where subject code
//! runs, so all of it is checked.

use std::io::Read;

use bonafix_lang::LangError;
use camino::Utf8Path;

const MAGIC: u32 = u32::from_le_bytes(*b"BFT1");
const HEADER: usize = 4096;
const CUT: u32 = 1;
const THREADS: u32 = 2;
/// A file of this number says that there were more processes than are told of.
const MOST_PROCESSES: u32 = 1000;
/// More than the places of any program take.
const MOST_PLACES: u64 = 256 * 1024 * 1024;

/// A function was entered, behind the first of its blocks.
pub(super) const ENTER: u32 = 0xffff_fffe;
/// A function was left.
pub(super) const LEAVE: u32 = 0xffff_ffff;

/// What one process ran.
#[derive(Debug)]
pub(super) struct Recorded {
    /// Numbers of blocks from 1 on, and what is said above.
    pub(super) events: Vec<u32>,
    /// There were more.
    pub(super) cut: bool,
    /// Where the blocks are: `=file`, then an address in it for each, with `*` before those that begin a function.
    pub(super) places: String,
}

impl Recorded {
    /// Those of all processes, in the order in which they began; or why they say nothing.
    pub(super) fn read(folder: &Utf8Path) -> Result<Result<Vec<Self>, String>, LangError> {
        let mut processes = Vec::new();
        for number in 0..=MOST_PROCESSES {
            let Ok(file) = fs_err::File::open(folder.join(format!("trace-{number}"))) else { break };
            if number == MOST_PROCESSES {
                return Ok(Err("it starts too many processes".to_owned()));
            }
            match Self::read_one(file, folder)? {
                Ok(process) => processes.push(process),
                Err(why) => return Ok(Err(why)),
            }
        }
        Ok(Ok(processes))
    }

    fn read_one(mut file: fs_err::File, folder: &Utf8Path) -> Result<Result<Self, String>, LangError> {
        let broken = || Ok(Err("its trace cannot be read".to_owned()));
        let mut header = vec![0; HEADER];
        if file.read_exact(&mut header).is_err() {
            return broken();
        }
        let words = numbers(&header[..24]);
        let (flags, count) = (words[1], u64::from(words[5]) << 32 | u64::from(words[4]));
        let room = file.metadata()?.len().saturating_sub(HEADER as u64) / 4;
        if words[0] != MAGIC || count > room {
            return broken();
        }
        if flags & THREADS != 0 {
            return Ok(Err("its threads take turns".to_owned()));
        }
        let mut bytes = Vec::new();
        file.take(count * 4).read_to_end(&mut bytes)?;
        let mut places = String::new();
        let place = folder.join(format!("places-{}", words[2]));
        if let Ok(file) = fs_err::File::open(place)
            && file.take(MOST_PLACES).read_to_string(&mut places).is_err()
        {
            return broken();
        }
        Ok(Ok(Self { events: numbers(&bytes), cut: flags & CUT != 0, places }))
    }
}

fn numbers(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| u32::from_ne_bytes([word[0], word[1], word[2], word[3]])).collect()
}
