; What JavaScript has and TypeScript says otherwise.
(field_definition) @field
(formal_parameters (identifier) @bound)
