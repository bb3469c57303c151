# An image that serves the repository mounted at /repository, over stdio or, with --transport http, over HTTP.
# Options of `repo-mcp serve` follow the name of the image; docs/install.md shows both.

FROM python:3.13-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE requirements.txt ./
COPY repo_mcp repo_mcp
COPY index_format index_format
# The versions that the tests ran with. pip leaves with its work done: nothing installs anything in this image.
RUN python -m venv /opt/repo-mcp \
    && /opt/repo-mcp/bin/pip install --no-cache-dir --constraint requirements.txt . \
    && /opt/repo-mcp/bin/pip uninstall --yes pip

FROM python:3.13-slim
LABEL org.opencontainers.image.title="repo-mcp" \
    org.opencontainers.image.description="A local, read-only MCP server that searches one code repository" \
    org.opencontainers.image.licenses="MIT"
COPY --from=build /opt/repo-mcp /opt/repo-mcp
# The index and the key that seals it; a volume keeps both from one run to the next.
RUN useradd --uid 1000 --create-home user \
    && install --directory --owner=user --mode=0700 /var/lib/repo-mcp /var/lib/repo-mcp/data
ENV PATH=/opt/repo-mcp/bin:$PATH \
    XDG_STATE_HOME=/var/lib/repo-mcp/state
USER user
VOLUME /var/lib/repo-mcp
EXPOSE 8000
ENTRYPOINT ["repo-mcp", "serve", "--repo-root", "/repository", "--data-dir", "/var/lib/repo-mcp/data"]
