# headers.sed - the public headers as Doxygen needs them: the opening comment describes the file, and a comment
# after code describes what stands before it.
1s|^/\* ([a-z_]+\.h) - |/** @file \1\n * |
s| \* SPDX-License-Identifier: .* \*/| */|
s|^( *[^ /*].*) /\* |\1 /**< |
