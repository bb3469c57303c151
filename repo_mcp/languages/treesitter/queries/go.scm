; Declarations
(package_clause (package_identifier) @package)
(import_spec) @import
(type_spec) @type_declaration
(type_alias) @type_declaration
(field_declaration) @field
(method_elem) @method_element
(function_declaration) @function
(method_declaration) @method
(const_spec) @constant
(var_spec) @variable
(comment) @comment

; Names bound inside functions
(type_parameter_declaration) @type_parameter
(parameter_declaration) @parameter
(variadic_parameter_declaration) @parameter
(short_var_declaration) @short_variable
(range_clause) @range
(receive_statement left: (expression_list (identifier) @bound))
(type_switch_statement alias: (expression_list (identifier) @bound))
(label_name) @label

; Blocks
(block) @block
(if_statement) @block
(for_statement) @block
(func_literal) @block
(expression_switch_statement) @block
(type_switch_statement) @block
(expression_case) @block
(type_case) @block
(communication_case) @block
(default_case) @block

; Uses
(struct_type (field_declaration_list (field_declaration !name type: [(type_identifier) (qualified_type)] @embedded)))
(struct_type (field_declaration_list (field_declaration !name type: (generic_type type: (_) @embedded))))
(interface_type (type_elem . (type_identifier) @base .))
(interface_type (type_elem . (qualified_type) @base .))
(interface_type (type_elem . (generic_type type: (_) @base) .))
(call_expression) @call
(type_conversion_expression) @call
(composite_literal) @literal
(keyed_element key: (literal_element (identifier) @key))
(selector_expression) @selector
(qualified_type) @qualified_type
(type_identifier) @type
(identifier) @identifier
