//! Rules about the list of tools, their schemas and the tool choice.

mod added_tools;
mod deferred_tools;
mod duplicate_tool;
mod input_examples;
mod missing_tools;
mod mixed_tools;
mod property_name;
mod provider_search;
mod schema_keyword;
mod schema_reference;
mod schema_root;
mod strict_tool;
mod tool_choice;
mod tool_count;
mod tool_description;
mod tool_fields;
mod tool_name;
mod tool_reference;
mod unknown_tool;

use crate::engine::Feature;
use crate::engine::rule::{ConversationRule, fit, settings_rule};

pub(super) const RULES: &[ConversationRule] = &[
    settings_rule("provider-search", provider_search::apply).after(&["unsealed-search"]),
    settings_rule("unknown-tool", unknown_tool::apply),
    settings_rule("tool-choice", tool_choice::apply).after(&["fixed-setting"]),
    settings_rule("tool-fields", tool_fields::apply).after(&["unknown-beta"]),
    fit("tool-name", tool_name::apply),
    settings_rule("duplicate-tool", duplicate_tool::apply),
    fit("tool-count", tool_count::apply),
    fit("tool-reference", tool_reference::apply).requires(Feature::ForeignBlocks),
    fit("added-tools", added_tools::apply).requires(Feature::ForeignBlocks),
    fit("missing-tools", missing_tools::apply),
    settings_rule("mixed-tools", mixed_tools::apply),
    settings_rule("schema-root", schema_root::apply),
    settings_rule("schema-reference", schema_reference::apply),
    settings_rule("schema-keyword", schema_keyword::apply),
    fit("property-name", property_name::apply),
    settings_rule("strict-tool", strict_tool::apply),
    settings_rule("input-examples", input_examples::apply),
    settings_rule("tool-description", tool_description::apply),
    settings_rule("deferred-tools", deferred_tools::apply),
];
