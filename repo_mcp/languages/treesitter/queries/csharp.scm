; Before a declaration
(comment) @comment

; Declarations
(namespace_declaration) @namespace
(file_scoped_namespace_declaration) @file_namespace
(class_declaration) @type_declaration
(struct_declaration) @type_declaration
(interface_declaration) @type_declaration
(record_declaration) @type_declaration
(enum_declaration) @type_declaration
(delegate_declaration) @delegate
(enum_member_declaration) @enum_member
(method_declaration) @method
(constructor_declaration) @method
(destructor_declaration) @method
(operator_declaration) @method
(conversion_operator_declaration) @method
(indexer_declaration) @method
(local_function_statement) @local_function
(property_declaration) @property
(event_declaration) @property
(field_declaration) @field
(event_field_declaration) @field

; Scopes and the names bound in them
(block) @block
(for_statement) @block
(while_statement) @block
(foreach_statement) @foreach
(foreach_statement right: (_) @looped)
(catch_clause) @block
(using_statement) @block
(fixed_statement) @block
(switch_section) @block
(switch_expression_arm) @block
(query_expression) @block
(accessor_declaration) @accessor
(lambda_expression) @lambda
(anonymous_method_expression) @lambda
(variable_declaration) @variables
(variable_declarator) @declarator
(parameter) @parameter
(parameter_list) @parameters
(implicit_parameter) @bound
(type_parameter) @type_parameter
(type_parameter_constraints_clause) @constraints
(tuple_pattern name: (identifier) @bound)
(parenthesized_variable_designation name: (identifier) @bound)
(from_clause) @named
(let_clause) @named_first
(join_clause) @named_first
(join_into_clause (identifier) @bound)
(catch_declaration) @named
(declaration_expression) @named
(declaration_pattern) @named
(recursive_pattern) @named
(var_pattern name: (identifier) @bound)

; Names that are not uses
(labeled_statement . (identifier) @taken)
(goto_statement (identifier) @taken)
(argument name: (identifier) @taken)
(attribute_argument name: (identifier) @taken)
(subpattern . [(identifier) (member_access_expression)]) @subpattern
(preproc_pragma (identifier) @taken)
(preproc_if condition: (_) @preprocessed)
(preproc_elif condition: (_) @preprocessed)
(tuple_element name: (identifier) @taken)
(type_parameter_constraints_clause . (identifier) @taken)

; Modules
(using_directive) @using

; Uses
(base_list) @bases
(constructor_initializer) @chained
(attribute) @attribute
(invocation_expression) @call
(object_creation_expression) @new
(assignment_expression right: (lambda_expression)) @assigned
(assignment_expression right: (implicit_object_creation_expression)) @assigned
(implicit_object_creation_expression) @implicit_new
(anonymous_object_creation_expression) @anonymous
(with_expression) @with
(conditional_access_expression) @conditional
(member_access_expression) @member
(qualified_name) @qualified
(alias_qualified_name) @qualified
(type_argument_list) @type_arguments
(cast_expression) @typed
(typeof_expression) @typed
(default_expression) @typed
(sizeof_expression) @typed
(array_type) @typed
(nullable_type) @typed
(ref_type) @typed
(pointer_type) @typed
(tuple_element) @typed
(type_parameter_constraint) @typed
(type_pattern) @typed
(explicit_interface_specifier) @typed
(constant_pattern (identifier) @pattern_name)
(is_expression right: (identifier) @pattern_name)
(is_expression right: (_) @type_span)
(as_expression right: (_) @type_span)
(identifier) @identifier
