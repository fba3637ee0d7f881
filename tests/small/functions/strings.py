"""Functions that call one method of str each."""

FACTORS = {"si": 1.0, "us": 2.5, "Si": 3.0}


def str_capitalize(x):
    return FACTORS["si".capitalize()] * x


def str_casefold(x):
    return FACTORS["SI".casefold()] * x


def str_center(x):
    return len("si".center(6)) * x


def str_count(x):
    return "banana".count("an") * x + 1.0


def str_encode(x):
    return len("si".encode()) * x


def str_endswith(x):
    return x * 2.0 if "mode_si".endswith("si") else -x


def str_expandtabs(x):
    return len("a\tb".expandtabs(4)) * x


def str_find(x):
    return "abc".find("c") * x + 1.0


def str_format(x):
    return len("{}-{}".format("a", 1)) * x


def str_format_map(x):
    return len("{a}".format_map({"a": 12})) * x


def str_index(x):
    return "abc".index("b") * x + 1.0


def str_isalnum(x):
    return x * 2.0 if "a1".isalnum() else -x


def str_isalpha(x):
    return x * 2.0 if "a1".isalpha() else -x


def str_isascii(x):
    return x * 2.0 if "a".isascii() else -x


def str_isdecimal(x):
    return x * 2.0 if "12".isdecimal() else -x


def str_isdigit(x):
    return x * 2.0 if "1a".isdigit() else -x


def str_isidentifier(x):
    return x * 2.0 if "k1".isidentifier() else -x


def str_islower(x):
    return x * 2.0 if "ab".islower() else -x


def str_isnumeric(x):
    return x * 2.0 if "5".isnumeric() else -x


def str_isprintable(x):
    return x * 2.0 if "a".isprintable() else -x


def str_isspace(x):
    return x * 2.0 if " ".isspace() else -x


def str_istitle(x):
    return x * 2.0 if "Ab".istitle() else -x


def str_isupper(x):
    return x * 2.0 if "ab".isupper() else -x


def str_join(x):
    return FACTORS["".join(["s", "i"])] * x


def str_ljust(x):
    return len("si".ljust(5)) * x


def str_lower(x):
    return FACTORS["US".lower()] * x


def str_lstrip(x):
    return FACTORS["  si".lstrip()] * x


def str_maketrans(x):
    return FACTORS["xi".translate(str.maketrans("x", "s"))] * x


def str_partition(x):
    return FACTORS["us:m".partition(":")[0]] * x


def str_removeprefix(x):
    return FACTORS["in_si".removeprefix("in_")] * x


def str_removesuffix(x):
    return FACTORS["us_m".removesuffix("_m")] * x


def str_replace(x):
    return FACTORS["xi".replace("x", "s")] * x


def str_rfind(x):
    return "abca".rfind("a") * x + 1.0


def str_rindex(x):
    return "abca".rindex("a") * x + 1.0


def str_rjust(x):
    return len("si".rjust(4, "-")) * x


def str_rpartition(x):
    return FACTORS["m:us".rpartition(":")[2]] * x


def str_rsplit(x):
    return FACTORS["m:us".rsplit(":", 1)[1]] * x


def str_rstrip(x):
    return FACTORS["us  ".rstrip()] * x


def str_split(x):
    return FACTORS["us m".split()[0]] * x


def str_splitlines(x):
    return len("a\nb".splitlines()) * x


def str_startswith(x):
    return x * 2.0 if "si_units".startswith(("si", "us")) else -x


def str_strip(x):
    return FACTORS[" si ".strip()] * x


def str_swapcase(x):
    return FACTORS["sI".swapcase()] * x


def str_title(x):
    return FACTORS["si".title()] * x


def str_translate(x):
    return FACTORS["s-i".translate({45: None})] * x


def str_upper(x):
    return len("ab".upper()) * x


def str_zfill(x):
    return len("7".zfill(3)) * x


def str_of_branch(x):
    word = "high" if x > 0.0 else "low"
    return 2.0 if word == "high" else len(word) * x


def str_of_branch_method(x):
    word = "High" if x > 0.0 else "low"
    return 2.0 if word.islower() else x


def str_key_of_branch(x):
    return {"up": 1.5 * x, "down": -x}["up" if x > 0.0 else "down"]


def str_compare_order(x):
    return x if "abc" < "abd" else -x


def str_contains(x):
    return ("b" in "abc") * x


def str_slice(x):
    return FACTORS["usi"[1:]] * x


def str_repeat(x):
    return len("ab" * 3) * x


def str_percent(x):
    return len("%s-%d" % ("a", 12)) * x


def str_iterate_ord(x):
    return sum(ord(c) - 96 for c in "abc") * x


def str_float_of_text(x):
    return float("1.25") * x
