/* redirect.js - from /playground to /playground/, with the settings in the address.
 * SPDX-License-Identifier: Apache-2.0 */
location.replace(`playground/${location.search}${location.hash}`);
