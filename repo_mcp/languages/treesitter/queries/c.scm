; Declarations
(preproc_include) @include
(preproc_def) @macro
(preproc_function_def) @macro
(struct_specifier body: (_)) @struct
(union_specifier body: (_)) @union
(enum_specifier body: (_)) @enum
(enumerator name: (identifier) @enumerator)
(field_declaration) @field
(type_definition) @typedef
(function_definition) @function
(declaration) @declaration
(comment) @comment

; Names bound inside functions
(parameter_declaration) @parameter
(translation_unit (compound_statement) @loose_block)
(declaration_list (compound_statement) @loose_block)
(preproc_ifdef (compound_statement) @loose_block)
(preproc_if (compound_statement) @loose_block)
(preproc_elif (compound_statement) @loose_block)
(preproc_else (compound_statement) @loose_block)

; Blocks
(compound_statement) @block
(for_statement) @block

; Uses
(preproc_ifdef name: (identifier) @tested)
(preproc_defined (identifier) @tested)
(attribute_specifier) @attribute
(while_statement) @loop
(call_expression) @call
(compound_literal_expression) @compound_literal
(initializer_list) @initializer
(initializer_pair) @initializer_pair
(offsetof_expression) @offset
(field_expression) @member
(type_identifier) @type
(identifier) @identifier
(ERROR) @error
