"""Name resolution for TypeScript and JavaScript: modules, scopes and written types."""
