; Captures that TypeScript writes differently.
(field_definition) @field
(formal_parameters (identifier) @bound)
