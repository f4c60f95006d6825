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
    if git show "$commit:./$file" > "$old/before.robots.txt" 2> "$old/error"; then
      echo "$file, compared with $commit:"
      code=0
      "$RUNNER_TEMP/acap/bin/acap" compare --fail-on looser -- "$old/before.robots.txt" "$file" || code=$?
      if [ "$code" -gt "$worst" ]; then worst=$code; fi
    else
      echo "$file is new"
    fi
  done
  while IFS= read -r -d '' file; do
    if is_robots "$file" && [ ! -e "$file" ]; then
      echo "$file is gone:"
      git show "$commit:./$file" > "$old/before.robots.txt"
      code=0
      "$RUNNER_TEMP/acap/bin/acap" compare --fail-on looser -- "$old/before.robots.txt" "$old/gone.robots.txt" || code=$?
      if [ "$code" -gt "$worst" ]; then worst=$code; fi
    fi
  done < <(gone "$commit")
  rm -r "$old"
  return "$worst"
}

# The files of a commit below $PATHS that are no longer there, relative to the working directory.
gone() {
  local paths
  read -r -d '' -a paths <<< "$PATHS" || true
  git --literal-pathspecs diff --relative --no-renames --name-only --diff-filter=D -z "$1" -- "${paths[@]}"
}
