; Declarations
(import_declaration) @import
(class_declaration) @class
(protocol_declaration) @protocol
(function_declaration) @function
(protocol_function_declaration) @function
(init_declaration) @initializer
(deinit_declaration) @deinitializer
(subscript_declaration) @subscript
(property_declaration) @property
(protocol_property_declaration) @property
(enum_entry) @enum_entry
(typealias_declaration) @type_alias
(associatedtype_declaration) @type_alias
(macro_declaration) @macro
(comment) @comment
(multiline_comment) @comment

; Bound names
(type_parameter) @type_parameter
(parameter) @parameter
(lambda_parameter) @lambda_parameter
(for_statement item: (pattern (simple_identifier) @case_bound))
(for_statement item: (pattern (pattern (simple_identifier) @case_bound)))
(if_statement) @conditions
(guard_statement) @conditions
(while_statement) @conditions
(catch_block) @catch
(lambda_literal) @closure
(await_expression) @awaited
(pattern bound_identifier: (simple_identifier) @bound)
(catch_block error: (pattern (simple_identifier) @bound))
(pattern (value_binding_pattern) (pattern . (simple_identifier) @case_bound .))
(pattern (value_binding_pattern) (pattern (pattern . (simple_identifier) @case_bound .)))
(switch_statement) @switch
(pattern (simple_identifier) @pattern_name)
(enum_type_parameters (simple_identifier) @pattern_name)
(if_statement (simple_identifier) @pattern_name)
(guard_statement (simple_identifier) @pattern_name)
(while_statement (simple_identifier) @pattern_name)
(value_argument_label) @label
(for_statement) @for
(equality_expression) @comparison
(infix_expression) @infix
(assignment) @assignment
(control_transfer_statement) @transfer
(tuple_type_item name: (simple_identifier) @taken)
(tuple_expression name: (simple_identifier) @taken)
(inheritance_constraint constrained_type: (identifier) @constrained)
(equality_constraint constrained_type: (identifier) @constrained)

; Blocks
(statements) @block
(lambda_literal) @block
(for_statement) @block
(while_statement) @block
(switch_entry) @block
(catch_block) @block

; Uses
(attribute) @attribute
(inheritance_specifier) @inherits
(type_arguments) @types
(call_expression) @call
(constructor_expression) @call
(macro_invocation) @macro_call
(navigation_expression) @navigation
(prefix_expression) @prefix
(user_type) @user_type
(simple_identifier) @identifier
