//! What tests of several stages need.

use bonafix_judge::patch_sim::Options as SimOptions;
use bonafix_model::Budget;

use crate::judging::JudgingOptions;

/// As a user who says nothing has them, with a budget of inputs.
pub(crate) fn judging_options() -> JudgingOptions {
    JudgingOptions {
        techniques: None,
        similarity: SimOptions::default(),
        generated_tests: 20,
        varied_tests: false,
        failing_variants: 0,
        budget: Budget::Inputs(2000),
        seed: 1,
        strict: false,
        full: false,
        heap_mib: 64,
        jobs: 1,
        inputs_from: None,
        inputs_to: None,
    }
}
