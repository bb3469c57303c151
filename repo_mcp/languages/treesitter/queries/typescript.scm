; Captures that TypeScript adds.

; Declarations
(abstract_class_declaration) @class
(function_signature) @function
(interface_declaration) @interface
(type_alias_declaration) @type_alias
(enum_declaration) @enum
(enum_body name: (_) @enum_member)
(enum_assignment) @enum_member
(internal_module) @namespace
(module) @namespace
(ambient_declaration) @ambient
(method_signature) @method
(abstract_method_signature) @method
(public_field_definition) @field
(property_signature) @property

; Scopes and the names bound in them
(function_type) @type_scope
(constructor_type) @type_scope
(call_signature) @call_signature
(construct_signature) @construct_signature
(index_signature) @index
(required_parameter) @parameter
(optional_parameter) @parameter
(type_parameter) @type_parameter
(mapped_type_clause name: (type_identifier) @bound_type)
(infer_type (type_identifier) @bound_type)

; Conditions that tell types
(binary_expression operator: ["instanceof" "in" "==" "===" "!=" "!=="]) @test
(switch_statement) @switch

; Uses
(import_alias) @import_alias
(extends_type_clause) @extends
(implements_clause) @implements
(nested_type_identifier) @nested_type
(type_identifier) @type
