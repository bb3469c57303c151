(jsx_opening_element) @jsx
(jsx_self_closing_element) @jsx
(jsx_closing_element) @jsx_end
