"""Member names that JavaScript values have anyway: no member of the repository is guessed by them alone."""

from __future__ import annotations

import re

COMMON_MEMBERS = frozenset(
    re.findall(
        r"\w+",
        """
        at concat copyWithin entries every fill filter find findIndex findLast findLastIndex flat
        flatMap forEach from includes indexOf isArray join keys lastIndexOf length map of pop push
        reduce reduceRight reverse shift slice some sort splice toLocaleString toReversed toSorted
        toString unshift values with charAt charCodeAt codePointAt endsWith localeCompare match
        matchAll normalize padEnd padStart repeat replace replaceAll search split startsWith substr
        substring toLowerCase toUpperCase trim trimEnd trimStart valueOf add clear delete get has
        set size next return throw done value then catch finally all allSettled any race resolve
        reject apply bind call name prototype constructor assign create defineProperty freeze
        fromEntries getOwnPropertyNames getPrototypeOf hasOwnProperty is isFrozen abs ceil floor max
        min pow random round sqrt trunc parse stringify toFixed toISOString toJSON getTime now exec
        test lastIndex source flags message stack cause code log error warn info debug trace table
        addEventListener removeEventListener dispatchEvent appendChild removeChild insertBefore
        querySelector querySelectorAll getAttribute setAttribute classList style children parentNode
        target currentTarget preventDefault stopPropagation focus blur click innerHTML textContent
        nodeName firstChild nextSibling on once off emit pipe write end read close open send destroy
        json text body headers status url method toBe toEqual toThrow toHaveBeenCalled
        toMatchSnapshot id type key data props state current index default start stop run init
        options config context callback result results items content path for append head pathname
        setItem getItem removeItem decode encode select hidden navigator localStorage sessionStorage
        clientX clientY platform postMessage remove buffer location href origin width height signal
        abort aborted clone flush document window
        """,
    )
)
