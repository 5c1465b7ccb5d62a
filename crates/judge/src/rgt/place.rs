//! The value that stands at a place of an observation.

use bonafix_model::{Access, Element, Location, Observation, Slot, StepObservation, Value};

/// What was seen of a step.
pub(super) fn step(observation: &Observation, step: Slot) -> Option<&StepObservation> {
    observation.steps.iter().find(|seen| seen.step == step)
}

/// What a step returned or made.
pub(super) fn result(observation: &Observation, slot: Slot) -> Option<&Value> {
    step(observation, slot)?.result.as_ref()
}

/// The value at a place; none where that place does not exist here, or has no value of its own.
pub(super) fn value_at(observation: &Observation, location: &Location) -> Option<Value> {
    let seen = step(observation, location.step)?;
    let root = match location.element {
        Element::Return => seen.result.as_ref(),
        Element::Receiver => seen.receiver.as_ref(),
        Element::Argument(number) => {
            seen.arguments.iter().find(|(other, _)| *other == number).map(|(_, value)| value)
        }
        Element::Statics => seen.statics.as_ref(),
        Element::Exception => {
            observation.thrown_at(location.step).and_then(|exception| exception.state.as_ref())
        }
    };
    location.path.iter().try_fold(root?.clone(), |value, access| below(&value, access))
}

fn below(value: &Value, access: &Access) -> Option<Value> {
    match (value, access) {
        (Value::Object { fields, .. }, Access::Field { name, .. }) => {
            fields.iter().find(|field| field.name == *name).map(|field| field.value.clone())
        }
        (Value::Collection { items, .. }, Access::Index(index)) => {
            items.get(usize::try_from(*index).ok()?).cloned()
        }
        (Value::Collection { items, .. }, Access::Element(text)) => {
            items.iter().find(|item| item.to_string() == *text).cloned()
        }
        (Value::Map { entries, .. }, Access::Index(index)) => {
            entries.get(usize::try_from(*index).ok()?).map(|(key, _)| key.clone())
        }
        (Value::Map { entries, .. }, Access::Key(text)) => {
            entries.iter().find(|(key, _)| key.to_string() == *text).map(|(_, value)| value.clone())
        }
        (Value::Collection { length, .. } | Value::Map { length, .. }, Access::Length) => {
            i64::try_from(*length).ok().map(Value::Long)
        }
        _ => None,
    }
}

/// The class of the object whose field is the step `depth` of the way down.
pub(super) fn owner_of_field(observation: &Observation, location: &Location, depth: usize) -> Option<String> {
    let above = Location { path: location.path[..depth].to_vec(), ..location.clone() };
    match value_at(observation, &above)? {
        Value::Object { type_name, .. } => Some(type_name),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use bonafix_model::{Ending, Field};

    use super::super::fixture::{list, map, returning};
    use super::*;

    fn check(value: Value, path: Vec<Access>, expected: Option<i64>) {
        let location = Location { step: 3, element: Element::Return, path };
        let found = value_at(&returning(3, value), &location).map(|value| match value {
            Value::Int(value) => i64::from(value),
            Value::Long(value) => value,
            other => panic!("{other}"),
        });
        assert_eq!(found, expected);
    }

    #[test]
    fn a_way_down_leads_through_fields_lists_and_maps() {
        let numbers = list(vec![Value::Int(4), Value::Int(5)]);
        let field = Field { name: "items".to_owned(), visible: true, value: numbers.clone() };
        let object = Value::Object { type_name: "p.A".to_owned(), fields: vec![field] };
        let items = Access::Field { name: "items".to_owned(), visible: true };
        check(object.clone(), vec![items.clone(), Access::Index(1)], Some(5));
        check(object.clone(), vec![items, Access::Index(2)], None);
        check(numbers.clone(), vec![Access::Length], Some(2));
        check(numbers, vec![Access::Element("4".to_owned())], Some(4));
        check(map(&[(1, 2)]), vec![Access::Key("1".to_owned())], Some(2));
        check(map(&[(1, 2)]), vec![Access::Index(0)], Some(1));
        check(Value::Int(1), vec![Access::Index(0)], None);
    }

    #[test]
    fn receivers_and_arguments_are_places_and_exceptions_are_not() {
        let seen = StepObservation {
            step: 1,
            receiver: Some(Value::Int(7)),
            arguments: vec![(2, Value::Int(8))],
            statics: Some(Value::Int(9)),
            ..StepObservation::default()
        };
        let observation = Observation { steps: vec![seen], ending: Ending::Completed };
        let at = |element| value_at(&observation, &Location { step: 1, element, path: Vec::new() });
        assert_eq!(at(Element::Receiver), Some(Value::Int(7)));
        assert_eq!(at(Element::Argument(2)), Some(Value::Int(8)));
        assert_eq!(at(Element::Argument(0)), None);
        assert_eq!(at(Element::Return), None);
        assert_eq!(at(Element::Exception), None);
        assert_eq!(at(Element::Statics), Some(Value::Int(9)));
    }
}
