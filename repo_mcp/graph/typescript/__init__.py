"""What names mean in TypeScript and JavaScript: modules, scopes and written types."""
