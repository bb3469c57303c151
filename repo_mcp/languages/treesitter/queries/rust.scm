; Declarations
(use_declaration) @use
(extern_crate_declaration) @extern_crate
(mod_item) @module
(struct_item) @struct
(union_item) @union
(enum_item) @enum
(enum_variant) @variant
(trait_item) @trait
(impl_item) @implementation
(function_item) @function
(function_signature_item) @function
(field_declaration) @field
(const_item) @constant
(static_item) @static
(type_item) @type_alias
(associated_type) @type_alias
(macro_definition) @macro
(attribute_item) @attribute
(line_comment) @comment
(block_comment) @comment

; Bound names
(type_parameter) @type_parameter
(where_predicate left: (type_identifier)) @predicate
(const_parameter name: (identifier) @bound)
(parameter) @parameter
(self_parameter) @self_parameter
(closure_parameters (identifier) @bound)
(let_declaration) @let
(for_expression pattern: (identifier) @bound)
(let_condition) @pattern_owner
(match_pattern) @pattern
(for_expression pattern: (tuple_pattern) @pattern)
(for_expression pattern: (reference_pattern) @pattern)
(closure_parameters (tuple_pattern) @pattern)
(closure_parameters (reference_pattern) @pattern)

; Blocks
(block) @block
(match_arm) @block
(closure_expression) @block
(if_expression) @if
(while_expression) @block
(for_expression) @block

; Uses
(trait_bounds) @bounds
(type_arguments) @types
(call_expression) @call
(macro_invocation) @macro_call
(token_tree (identifier) @token_name . (token_tree))
(token_tree (identifier) @token)
(token_repetition (identifier) @token_name . (token_tree))
(token_repetition (identifier) @token)
(struct_expression) @literal
(struct_pattern) @struct_pattern
(tuple_struct_pattern type: (identifier) @tuple_pattern)
(match_expression) @match
(for_expression) @for
(closure_expression) @closure
(field_expression) @field_access
(field_initializer_list (shorthand_field_initializer (identifier) @identifier))
(scoped_identifier) @scoped
(scoped_type_identifier) @scoped_type
(type_identifier) @type
(identifier) @identifier
