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
(for_statement item: (pattern (simple_identifier) @bound))
(for_statement item: (pattern (pattern (simple_identifier) @bound)))
(if_statement bound_identifier: (simple_identifier) @optional)
(guard_statement bound_identifier: (simple_identifier) @optional)
(while_statement bound_identifier: (simple_identifier) @optional)
(pattern bound_identifier: (simple_identifier) @bound)
(catch_block error: (pattern (simple_identifier) @bound))
(value_argument_label) @label
(tuple_type_item name: (simple_identifier) @taken)

; Uses
(attribute) @attribute
(inheritance_specifier) @inherits
(type_arguments) @types
(call_expression) @call
(navigation_expression) @navigation
(prefix_expression) @prefix
(user_type) @user_type
(simple_identifier) @identifier
