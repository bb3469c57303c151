"""A key of a configuration that nothing declares as a whole is found by its last part."""

from __future__ import annotations

from tests.repo_mcp.research.asking import Asked

DEPOT = {
    "setup.py": "def install():\n    return 1\n",
    "lib/core.rb": "module Depot\n  module Core\n    included do\n"
    "      class_attribute :heavy_by_default, instance_accessor: false\n    end\n  end\nend\n",
    "lib/defaults.rb": "class Defaults\n  def load\n    depot.heavy_by_default = true\n  end\nend\n",
    "lib/scale.rb": "class Scale\n  def weigh(model)\n    heavy = model.heavy_by_default\n"
    '    request.get_header("depot.heavy_by_default")\n  end\nend\n',
    "guides/configuring.md": "# Configuring\n\n## `config.depot.heavy_by_default`\n\nSays it.\n",
}


def test_what_declares_sets_reads_and_documents_it_is_told() -> None:
    report = Asked(DEPOT).ask("where is config.depot.heavy_by_default configured and used?")
    assert report.claim == (
        "heavy_by_default is declared at lib/core.rb:4 and set at lib/defaults.rb:3. It is read at"
        " lib/scale.rb:3 and lib/scale.rb:4."
    )
    assert ("guides/configuring.md", "documents heavy_by_default") in [
        (one.path, one.why) for one in report.findings
    ]
