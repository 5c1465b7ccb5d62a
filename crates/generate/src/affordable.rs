//! Inputs that are not worth their time: numbers of any size with more digits than anybody reckons with.
//!
//! A decimal of scale two thousand million is made in no time and takes seconds, or all the memory, as soon as it is
//! added to something. The judge calls such a number extreme, and it never counts.

use bonafix_model::{Literal, Sequence, Slot, Step};

use crate::world::World;

/// Places and powers of ten or two beyond this are far out.
const FARTHEST: i64 = 400;

/// Does an input stay with numbers that can be reckoned with?
pub(crate) fn is_affordable(world: &World<'_>, input: &Sequence) -> bool {
    input.steps.iter().all(|step| match step {
        Step::Call { callable, arguments, .. } if world.member(*callable).is_unbounded => {
            arguments.iter().all(|argument| is_near(input, *argument))
        }
        _ => true,
    })
}

fn is_near(input: &Sequence, argument: Slot) -> bool {
    match input.steps.get(argument as usize) {
        Some(Step::Constant { type_name, value: Literal::Integer(value) }) if type_name == "int" => {
            value.abs() <= FARTHEST
        }
        Some(Step::Constant { value: Literal::Text(text), .. }) => {
            exponent(&String::from_utf16_lossy(text)).is_none_or(|far| far <= FARTHEST)
        }
        _ => true,
    }
}

/// The size of the exponent of a number in a text, if it has one.
fn exponent(text: &str) -> Option<i64> {
    let (_, exponent) = text.rsplit_once(['e', 'E'])?;
    let digits = exponent.trim_start_matches(['+', '-']);
    // One that does not fit is far out in any case.
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use bonafix_model::{Callable, Knowledge};

    use super::*;
    use crate::testing::{BELOW, call, catalog, constant};

    #[test]
    fn a_place_far_out_is_not_affordable_and_a_number_is() {
        let mut catalog = catalog();
        let like = catalog.callables[BELOW as usize].clone();
        let owner = "java.math.BigDecimal".to_owned();
        let scale = Callable { owner, name: "setScale".to_owned(), ..like };
        catalog.callables.push(scale.clone());
        catalog.callables.push(Callable { name: "<init>".to_owned(), ..scale });
        let scale = u32::try_from(catalog.callables.len()).unwrap() - 2;
        let knowledge = Knowledge::default();
        let world = World::new(&catalog, &knowledge, &[]);
        let affordable = |callable, value| {
            let steps = vec![constant(value), call(callable, None, &[0])];
            is_affordable(&world, &Sequence { steps })
        };
        assert!(affordable(scale, FARTHEST) && !affordable(scale, FARTHEST + 1));
        assert!(!affordable(scale, i64::from(i32::MIN)));
        assert!(affordable(scale + 1, 1 << 30) && affordable(BELOW, 1 << 30));
    }

    #[test]
    fn exponents_are_read_from_the_end_of_a_number() {
        assert_eq!(exponent("1.5"), None);
        assert_eq!(exponent("1.5E-30"), Some(30));
        assert_eq!(exponent("1e99999999999999999999999"), Some(i64::MAX));
        assert_eq!(exponent("a letter"), None);
    }
}
