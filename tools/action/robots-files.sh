# What the steps of action.yml have in common: the robots.txt files among the paths, and how they are compared with a commit.

# Sets `files` to each robots.txt of $PATHS: blanks and line ends divide paths, and a directory is searched.
robots_files() {
  local paths path file
  files=()
  read -r -d '' -a paths <<< "$PATHS" || true
  for path in "${paths[@]}"; do
    if [ -d "$path" ]; then
      # A name that begins with a hyphen is none of an option.
      [[ $path == -* ]] && path=./$path
      while IFS= read -r -d '' file; do files+=("$file"); done < <(
        find "$path" -name .git -prune -o -type f \( -name robots.txt -o -name '*.robots.txt' \) -print0 | sort -z
      )
    elif is_robots "$path"; then
      files+=("$path")
    fi
  done
}

is_robots() {
  case "/$1" in
    /http://* | /https://*) return 1 ;;
    */robots.txt | *.robots.txt) return 0 ;;
    *) return 1 ;;
  esac
}

# Compares each robots.txt of $PATHS with what it was in the commit $BASE; fails if one permits more than there. One that
# is gone is compared with an empty one, which permits everything; a new one has nothing to be compared with.
compare_with_base() {
  local commit file old worst=0 code
  if ! commit=$(git rev-parse --verify --quiet --end-of-options "$BASE^{commit}"); then
    echo "acap: the commit \`$BASE\` is not here; check out with fetch-depth: 0" >&2
    return 2
  fi
  old=$(mktemp -d)
  : > "$old/gone.robots.txt"
  robots_files
  for file in "${files[@]}"; do
    code=0
    before "$commit" "$file" > "$old/before.robots.txt" || code=$?
    case $code in
      0)
        echo "$file, compared with $commit:"
        "$RUNNER_TEMP/acap/bin/acap" compare --fail-on looser -- "$old/before.robots.txt" "$file" || code=$?
        ;;
      1) echo "$file is new" && code=0 ;;
      *) echo "acap: what \`$file\` was in $commit is unknown; name it by its path in the repository" >&2 ;;
    esac
    if [ "$code" -gt "$worst" ]; then worst=$code; fi
  done
  if ! gone "$commit" > "$old/gone"; then
    echo "acap: which files of \`$PATHS\` were in $commit is unknown; name paths in the repository" >&2
    worst=2
  fi
  while IFS= read -r -d '' file; do
    if is_robots "$file" && [ ! -e "$file" ]; then
      echo "$file is gone:"
      code=0
      before "$commit" "$file" > "$old/before.robots.txt" || code=2
      if [ "$code" -eq 0 ]; then
        "$RUNNER_TEMP/acap/bin/acap" compare --fail-on looser -- "$old/before.robots.txt" "$old/gone.robots.txt" || code=$?
      fi
      if [ "$code" -gt "$worst" ]; then worst=$code; fi
    fi
  done < "$old/gone"
  rm -r "$old"
  return "$worst"
}

# Writes what a file was in a commit, a link followed; ends with 1 if there was none, and with 2 if that is unknown.
before() {
  local name=./$2 root found
  if [[ $2 == /* ]]; then
    root=$(git rev-parse --show-toplevel) || return 2
    name=${2#"$root/"}
    if [[ $name == /* ]]; then return 2; fi
  fi
  found=$(git cat-file --batch-check='%(objecttype) %(objectname)' --follow-symlinks <<< "$1:$name") || return 2
  case $found in
    "blob "*) git cat-file blob "${found#blob }" || return 2 ;;
    "$1:$name missing") return 1 ;;
    *) return 2 ;;
  esac
}

# The files of a commit below $PATHS that are no longer there, relative to the working directory.
gone() {
  local paths
  read -r -d '' -a paths <<< "$PATHS" || true
  git --literal-pathspecs diff --relative --no-renames --name-only --diff-filter=D -z "$1" -- "${paths[@]}"
}
