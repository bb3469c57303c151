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

; Uses
(preproc_ifdef name: (identifier) @taken)
(preproc_defined (identifier) @taken)
(attribute_specifier) @attribute
(while_statement) @loop
(call_expression) @call
(type_identifier) @type
(identifier) @identifier
(ERROR) @error
