; Declarations
(package_declaration) @package
(import_declaration) @import
(class_declaration) @class
(interface_declaration) @interface
(enum_declaration) @enum
(record_declaration) @record
(annotation_type_declaration) @annotation_type
(enum_constant) @enum_constant
(object_creation_expression (class_body) @anonymous)
(method_declaration) @method
(annotation_type_element_declaration) @method
(constructor_declaration) @constructor
(compact_constructor_declaration) @constructor
(static_initializer) @initializer
(field_declaration) @field
(constant_declaration) @field
(line_comment) @comment
(block_comment) @comment

; Bound names
(type_parameter) @type_parameter
(formal_parameter) @parameter
(spread_parameter) @parameter
(catch_formal_parameter) @catch
(local_variable_declaration) @local
(enhanced_for_statement) @for_each
(resource) @resource
(instanceof_expression) @instance_test
(type_pattern (type_identifier) @pattern_type . (identifier) @pattern_name)
(record_pattern_component (identifier) @bound)
(lambda_expression parameters: (identifier) @bound)
(inferred_parameters (identifier) @bound)
(labeled_statement . (identifier) @taken)
(break_statement (identifier) @taken)
(continue_statement (identifier) @taken)
(element_value_pair key: (identifier) @taken)
(switch_expression) @switch
(switch_label (identifier) @case_label)

; Blocks
(block) @block
(for_statement) @block
(enhanced_for_statement) @block
(lambda_expression) @block
(catch_clause) @block
(try_with_resources_statement) @block
(switch_block) @block
(switch_rule) @block
(if_statement) @if
(while_statement) @while
(return_statement) @return
(expression_statement) @block
(variable_declarator value: (_) @block)

; Uses
(superclass) @superclass
(super_interfaces) @super_interfaces
(extends_interfaces) @extends_interfaces
(type_arguments) @types
(marker_annotation) @annotation
(annotation) @annotation
(object_creation_expression) @new
(explicit_constructor_invocation) @constructor_call
(method_invocation) @call
(method_reference) @method_reference
(cast_expression) @cast
(field_access) @field_access
(scoped_type_identifier) @scoped_type
(type_identifier) @type
(identifier) @identifier
