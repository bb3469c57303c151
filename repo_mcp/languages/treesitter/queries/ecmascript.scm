; Captures shared by TypeScript and JavaScript.

; Before a declaration
(comment) @comment
(decorator) @decorator
(export_statement) @export

; Declarations
(function_declaration) @function
(generator_function_declaration) @function
(class_declaration) @class
(class) @class_expression
(method_definition) @method
(lexical_declaration) @variables
(variable_declaration) @variables
(variable_declarator) @declarator
(object) @object
(pair) @pair

; Scopes and the names bound in them
(arrow_function) @arrow
(function_expression) @function_expression
(generator_function) @function_expression
(statement_block) @block
(for_statement) @block
(for_in_statement) @block
(catch_clause) @block
(switch_body) @block
(class_static_block) @block
(arrow_function parameter: (identifier) @bound)
(catch_clause parameter: (identifier) @bound)
(for_in_statement kind: _ left: (identifier) @bound)
(object_pattern (shorthand_property_identifier_pattern) @bound)
(object_assignment_pattern left: (shorthand_property_identifier_pattern) @bound)
(pair_pattern value: (identifier) @bound)
(array_pattern (identifier) @bound)
(assignment_pattern left: (identifier) @bound)
(rest_pattern (identifier) @bound)

; Results
(return_statement) @return

; Modules
(import_statement) @import

; Uses
(class_heritage) @heritage
(assignment_expression) @assignment
(expression_statement (call_expression arguments: (arguments) @titled))
(expression_statement (await_expression (call_expression arguments: (arguments) @titled)))
(call_expression) @call
(new_expression) @new
(member_expression) @member
(identifier) @identifier
(shorthand_property_identifier) @identifier
