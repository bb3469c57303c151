cd /work/trees/reports26
for c in /work/trees/reports26 /work/corpora/rep26/zero; do
echo == $c
.venv/bin/python -m bench.quality.definitions --trees /work/corpora/functions --only jinja,luigi,werkzeug --code $c
done
