; Declarations
(preproc_include) @include
(preproc_def) @macro
(preproc_function_def) @macro
(namespace_definition) @namespace
(namespace_alias_definition) @namespace_alias
(template_declaration) @template
(using_declaration) @using
(alias_declaration) @alias
(concept_definition) @concept
(class_specifier body: (_)) @class
(struct_specifier body: (_)) @struct
(union_specifier body: (_)) @union
(enum_specifier body: (_)) @enum
(enumerator name: (identifier) @enumerator)
(field_declaration_list (access_specifier) @access)
(friend_declaration) @friend
(field_declaration) @field
(type_definition) @typedef
(function_definition) @function
(declaration) @declaration
(comment) @comment

; Bound names
(type_parameter_declaration (type_identifier) @type_parameter)
(optional_type_parameter_declaration name: (type_identifier) @type_parameter)
(variadic_type_parameter_declaration (type_identifier) @type_parameter)
(template_parameter_list (parameter_declaration) @value_parameter)
(template_parameter_list (optional_parameter_declaration) @value_parameter)
(parameter_declaration) @parameter
(optional_parameter_declaration) @parameter
(variadic_parameter_declaration) @parameter
(for_range_loop) @range
(structured_binding_declarator (identifier) @bound)
(lambda_capture_initializer left: (identifier) @bound)
(translation_unit (compound_statement) @loose_block)
(declaration_list (compound_statement) @loose_block)
(preproc_ifdef (compound_statement) @loose_block)
(preproc_if (compound_statement) @loose_block)
(preproc_elif (compound_statement) @loose_block)
(preproc_else (compound_statement) @loose_block)

; Blocks
(compound_statement) @block
(for_statement) @block
(for_range_loop) @block
(if_statement) @block
(while_statement) @block
(switch_statement) @block
(catch_clause) @block
(lambda_expression) @lambda

; Uses
(preproc_ifdef name: (identifier) @tested)
(preproc_defined (identifier) @tested)
(attribute) @attribute
(base_class_clause) @bases
(template_argument_list) @types
(attribute_specifier) @attribute
(while_statement) @loop
(call_expression) @call
(compound_literal_expression) @compound_literal
(initializer_list) @initializer
(initializer_pair) @initializer_pair
(offsetof_expression) @offset
(new_expression) @new
(field_initializer) @field_initializer
(field_expression) @member
(qualified_identifier) @qualified
(type_identifier) @type
(identifier) @identifier
(ERROR) @error
